/**
 * A whole platform for one test file: its own database (a clone of the template), real HTTP on loopback,
 * the vendor outside, and people with tokens. Each test makes its own tenant, so tests of one file run
 * side by side and every one of them also tests that tenants are kept apart.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { newId, type Principal } from '#dodeca/kernel'
import type { Platform } from '../src/runtime/open-platform.ts'
import { start, type Running } from '../src/runtime/start.ts'
import { count, countPlatform } from './counts.ts'
import { reach, type Reach } from './pooler.ts'
import { testComposition, type TestFaces, testConfig } from './composition.ts'
import { shared } from './shared.ts'
import { startVendor, type Vendor } from './surfaces/relay/vendor.ts'
import { call, type Answer, type Ask } from '../src/testing/call.ts'
import { cloneOf, type Clone } from '../src/testing/database.ts'

export { beside, call, eventually, newKey, type Answer, type Ask } from '../src/testing/call.ts'
export type { Clone } from '../src/testing/database.ts'

/** A clone that a platform runs on. */
export type Ground = Clone & Reach

/** An empty copy of a migrated template. */
export async function cloneDatabase(
  template: 'template' | 'product_template' = 'template',
): Promise<Ground> {
  count('databases')
  const clone = await cloneOf(inject('admin_url'), inject(template), process.ppid)
  const { environment, beside } = reach(new URL(clone.url))
  return {
    url: clone.url,
    environment,
    beside,
    drop: async () => {
      await clone.drop()
      if (beside['DATA_DIR']) await rm(beside['DATA_DIR'], { recursive: true, force: true })
    },
  }
}

export type Person = { readonly principal: Principal; readonly token: string }

export type World = {
  readonly url: string
  readonly database_url: string
  readonly data_dir: string
  readonly platform: Platform
  readonly faces: TestFaces
  readonly vendor: Vendor
  /** An account in a new tenant, or in the given one. */
  person(tenant_id?: string): Person
  grant(person: Person, ...permissions: string[]): Promise<void>
  call(method: string, path: string, ask?: Ask): Promise<Answer>
  /** What a process of this world is configured with, for one more beside it. */
  readonly environment: Record<string, string>
  close(): Promise<void>
}

/** Without settings: the world that such files of this worker share. With any, or `{}`: one of its own. */
export async function openWorld(settings?: Record<string, string>): Promise<World> {
  if (settings) return await openOwnWorld(settings)
  const world = await shared('small surfaces', () => openOwnWorld({}))
  return { ...world, close: async () => world.platform.faults.clear() }
}

async function openOwnWorld(settings: Record<string, string>): Promise<World> {
  count('worlds')
  const clone = await cloneDatabase()
  const vendor = await startVendor()
  const data_dir = await mkdtemp(join(inject('folder'), 'world-'))
  const environment = {
    ...clone.environment,
    DATA_DIR: data_dir,
    PORT: '0',
    PUBLIC_URL: 'http://dodeca.test',
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    VENDOR_URL: vendor.url,
    KERNEL_RATE_FACTOR: '10000',
    KERNEL_SANDBOX: 'false',
    // A machine that runs other tests too is late without being overloaded.
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    KERNEL_DATABASE_WAIT_MS: '20000',
    KERNEL_STATEMENT_TIMEOUT_MS: '30000',
    ...settings,
  }
  const { VENDOR_URL: _vendor, ...own } = environment
  let faces: TestFaces | undefined
  const running: Running = await start(
    testConfig({}, own),
    () => {},
    testComposition(vendor.url, opened => {
      faces = opened
    }),
  )
  if (!faces) throw new Error('the surfaces were not opened')
  countPlatform(running.platform.kernel.metrics.registry)
  const { people } = faces
  const url = `http://127.0.0.1:${running.port}`
  return {
    url,
    database_url: clone.url,
    data_dir,
    platform: running.platform,
    faces,
    vendor,
    environment: { ...environment, ...clone.beside },
    person: tenant_id => personOf(people, tenant_id),
    grant: async ({ principal }, ...permissions) => {
      for (const permission of permissions) await people.grant(principal, permission)
    },
    call: (method, path, ask) => call(url, method, path, ask),
    close: async () => {
      await running.stop()
      await vendor.close()
      await clone.drop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

function personOf(people: TestFaces['people'], tenant_id = newId()): Person {
  const principal: Principal = {
    id: newId(),
    tenant_id,
    kind: 'account',
    session_id: newId(),
    aal: 'aal1',
    auth_time: 0,
  }
  return { principal, token: people.token(principal) }
}
