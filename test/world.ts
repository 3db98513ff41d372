/**
 * A whole platform for one test file: its own database (a clone of the template), real HTTP on loopback,
 * the vendor outside, and people with tokens. Each test makes its own tenant, so tests of one file run
 * side by side and every one of them also tests that tenants are kept apart.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { newId, type Principal } from '#dodeca/kernel'
import { settle } from '../src/kernel/database/migrate.ts'
import type { Platform } from '../src/runtime/open-platform.ts'
import { start, type Running } from '../src/runtime/start.ts'
import { count, countPlatform } from './counts.ts'
import { reach, type Reach } from './pooler.ts'
import { testComposition, type TestFaces, testConfig } from './composition.ts'
import { shared } from './shared.ts'
import { startVendor, type Vendor } from './surfaces/relay/vendor.ts'

export type Clone = { readonly url: string; drop(): Promise<void> }

/** A clone that a platform runs on. */
export type Ground = Clone & Reach

/** An empty copy of a migrated template. */
export async function cloneDatabase(
  template: 'template' | 'product_template' = 'template',
): Promise<Ground> {
  count('databases')
  const admin_url = inject('admin_url')
  const name = `dodeca_clone_${process.ppid}_${newId().replaceAll('-', '')}`
  const url = new URL(admin_url)
  url.pathname = `/${name}`
  // The default writes each page to the log as well and costs twice as much.
  const from = `template ${inject(template)} strategy file_copy`
  await onServer(admin_url, `create database ${name} ${from}`)
  // Settings of a role in a database are not cloned with it.
  const client = new pg.Client({ connectionString: url.toString() })
  await client.connect()
  await settle(client, 5000)
  await client.end()
  const { environment, beside } = reach(url)
  return {
    url: url.toString(),
    environment,
    beside,
    drop: async () => {
      await onServer(admin_url, `drop database if exists ${name} with (force)`)
      if (beside['DATA_DIR']) await rm(beside['DATA_DIR'], { recursive: true, force: true })
    },
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; whatever a test expects of it is asserted there. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
  readonly body: any
}

export type Ask = {
  token?: string
  key?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
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

export async function call(
  base_url: string,
  method: string,
  path: string,
  { token, key, body, headers = {}, signal }: Ask = {},
): Promise<Answer> {
  const response = await fetch(base_url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  const text = await response.text()
  const json = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json && text ? JSON.parse(text) : null,
  }
}

/**
 * Runs work that does not belong to the transaction of the test around it, as that of another
 * request does not.
 */
export const beside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()

/**
 * Waits until a condition holds, looking again every few milliseconds; says what did not happen. The
 * limit is only a little below the runner's, because a busy machine is no failure.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limit_ms = 240_000,
): Promise<T> {
  const deadline = performance.now() + limit_ms
  for (;;) {
    const found = await beside(look)
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`did not happen: ${what}`)
    await wait(10)
  }
}

/** A key that has never been used. */
export function newKey(): string {
  return `test-${newId()}`
}
