/**
 * An application under test: a database of its own (a copy of the migrated template), real HTTP on
 * loopback, the sandbox's vendors, and people who register and log in. It runs in this process, so a
 * test can set its clock and its faults. `killed` runs it in another process, which dies.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type, type Static } from 'typebox'
import { LoggedEvent, sql, type Db } from '#dodeca/kernel'
import { namesOf, ownSurfaces, type App } from '../app.ts'
import { composeApp } from '../load-app.ts'
import type { Faults } from '../kernel/faults.ts'
import { readApp } from '../read-app.ts'
import type { Composition } from '../runtime/platform-parts.ts'
import type { Environment } from '../runtime/config.ts'
import type { InboxMessage } from '../runtime/dev/inbox-shapes.ts'
import type { Platform } from '../runtime/open-platform.ts'
import { start } from '../runtime/start.ts'
import { loadConfig } from '../settings.ts'
import { call, eventually, type Answer, type Ask } from './call.ts'
import { cloneOf, serverOfProject, templateOf, type Clone } from './database.ts'
import { peopleOf, type People } from './people.ts'
import { readyProcess, untilKilled } from './process.ts'

/** What remains when the platform of a world ends: its database, its data folder, its settings. */
type Ground = {
  readonly app: App
  readonly folder: string
  readonly composition: Composition
  readonly clone: Clone
  readonly environment: Record<string, string>
}

type EventFilter = {
  readonly type?: string
  readonly tenant_id?: string
  readonly aggregate_id?: string
}

const inner = ['payload', 'payload_ref', 'traceparent', 'created_at'] as const
const SeenEvent = Type.Object({
  ...Type.Omit(LoggedEvent, inner).properties,
  data: Type.Unknown(),
})
/** An event of the log, with the names that subscribers see. */
export type SeenEvent = Static<typeof SeenEvent>

export type World = People & {
  readonly url: string
  /** The database, for statements of the test. */
  readonly db: Db
  readonly clock: {
    nowMs(): number
    /** Moves the time of the platform and of its database. */
    forward(seconds: number): Promise<void>
  }
  readonly faults: Faults
  /** The events of the log in their order, once there are `many`. */
  events(filter: EventFilter, many?: number): Promise<SeenEvent[]>
  /** The messages to a mail address or a number, newest first, once there are `many`. */
  inbox(to: string, many?: number): Promise<InboxMessage[]>
  /** The platform itself. Its members are not kept stable. */
  readonly platform: Platform
  readonly ground: Ground
  /** Ends the platform and drops its database. */
  close(): Promise<void>
}

/** A test is one of many on a busy machine: what limits an abuser or a slow machine is wide. */
const usual = {
  PORT: '0',
  PUBLIC_URL: 'http://dodeca.test',
  LOG_LEVEL: 'error',
  KERNEL_RATE_FACTOR: '10000',
  KERNEL_OVERLOAD_DELAY_MS: '60000',
  KERNEL_DATABASE_WAIT_MS: '20000',
  KERNEL_STATEMENT_TIMEOUT_MS: '30000',
  KERNEL_TRUSTED_PROXIES: '127.0.0.1',
  IDENTITY_HASH_WAIT_MS: '30000',
}

/**
 * `settings` are by the names of their variables. `folder` has the `dodeca.config.ts` of the
 * application: the paths in `app` begin there, and `killed` reads it.
 */
export async function openApp(
  app: App,
  settings: Environment = {},
  folder = process.cwd(),
): Promise<World> {
  const composition = await composeApp(app, folder)
  const admin_url = await serverOfProject()
  const clone = await cloneOf(admin_url, await templateOf(admin_url, composition))
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dodeca-world-'))
  const given = Object.entries({
    ...usual,
    DATABASE_URL: patient(clone.url),
    DATA_DIR,
    ...settings,
  })
  const environment = Object.fromEntries(
    given.filter((one): one is [string, string] => one[1] !== undefined),
  )
  const ground = { app, folder: resolve(folder), composition, clone, environment }
  try {
    return await openOn(ground)
  } catch (error) {
    await leave(ground)
    throw error
  }
}

/** On a busy machine many who wait for one row wait for longer than the 2 s of a role. */
function patient(url: string): string {
  const patient = new URL(url)
  patient.searchParams.set('options', '-c lock_timeout=10s')
  return patient.toString().replaceAll('+', '%20')
}

async function leave({ clone, environment }: Ground): Promise<void> {
  await clone.drop()
  await rm(environment['DATA_DIR'] ?? '', { recursive: true, force: true, maxRetries: 5 })
}

async function openOn(ground: Ground): Promise<World> {
  const { app, composition, environment } = ground
  const running = await start(loadConfig({}, environment, app), () => {}, composition)
  const { platform, port } = running
  const { kernel, faults } = platform
  const url = `http://127.0.0.1:${port}`
  const ask = (method: string, path: string, asked?: Ask) => call(url, method, path, asked)
  let open = true
  return {
    ...peopleOf(ask, kernel.db),
    url,
    db: kernel.db,
    clock: {
      nowMs: kernel.clock.nowMs,
      forward: async seconds => {
        const offset_seconds = kernel.clock.offsetSeconds() + seconds
        expectOk(await ask('POST', '/dev/clock', { body: { offset_seconds } }))
      },
    },
    faults,
    events: (filter, many = 1) => eventsOf(kernel.db, filter, many),
    inbox: (to, many = 1) => inboxOf(ask, to, many),
    platform,
    ground,
    close: async () => {
      if (!open) return
      open = false
      await running.stop()
      if (!moved.has(ground)) await leave(ground)
    },
  }
}

/** Grounds that another world takes over. */
const moved = new WeakSet<Ground>()

function eventsOf(
  db: Db,
  { type, tenant_id, aggregate_id }: EventFilter,
  many: number,
): Promise<SeenEvent[]> {
  const statement = sql`
    select position, id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
      aggregate_version, payload as data, occurred_at
    from kernel.events
    where (${type ?? null}::text is null or type = ${type ?? null})
      and (${tenant_id ?? null}::uuid is null or tenant_id = ${tenant_id ?? null})
      and (${aggregate_id ?? null}::text is null or aggregate_id::text = ${aggregate_id ?? null})
    order by position`
  const what = `${many} events ${JSON.stringify({ type, tenant_id, aggregate_id })} in the log`
  return eventually(what, async () => {
    const found = await db.many(SeenEvent, statement)
    return found.length >= many && found
  })
}

function inboxOf(ask: World['call'], to: string, many: number): Promise<InboxMessage[]> {
  const query = new URLSearchParams({ to, limit: '100' }).toString()
  return eventually(`${many} messages to ${to} arrive`, async () => {
    const { data } = expectOk(await ask('GET', `/dev/inbox/messages?${query}`))
    return data.length >= many && (data as InboxMessage[])
  })
}

function expectOk({ status, text, body }: Answer): Answer['body'] {
  if (status < 300) return body
  throw new Error(`the platform answered ${status}: ${text}`)
}

/**
 * Ends this world, runs `act` against a process of the same application that is killed (SIGKILL) at
 * its n-th pass of the fault point, and opens a world on what that process left.
 */
export async function killed(
  world: World,
  point: string,
  act: (victim: Pick<World, 'url' | 'call'>) => Promise<unknown>,
  nth = 1,
): Promise<World> {
  const { ground } = world
  await expectSameApp(ground)
  moved.add(ground)
  try {
    await world.close()
    await untilKilled(
      () => startProgram(ground, `${point}=kill@${nth}`),
      point,
      url => act({ url, call: (method, path, asked) => call(url, method, path, asked) }),
    )
    const next = { ...ground }
    return await openOn(next)
  } catch (error) {
    await leave(ground)
    throw error
  }
}

/** The process that is killed reads the application from its file. */
async function expectSameApp({ app, folder }: Ground): Promise<void> {
  const namesIn = (one: App) =>
    [...namesOf(one), ...ownSurfaces(one).map(({ name }) => name)].join()
  const found = await readApp(folder)
  if (namesIn(found) === namesIn(app)) return
  throw new Error(
    `\`killed\` starts the application of ${folder}/dodeca.config.ts, which has the surfaces ${namesIn(found)}. The world has ${namesIn(app)}. Test that application, or name its folder in openApp.`,
  )
}

const program = fileURLToPath(new URL('./app.child.ts', import.meta.url))

function startProgram({ folder, environment }: Ground, KERNEL_FAULTS: string) {
  const child = spawn(process.execPath, [program, folder], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...environment, KERNEL_FAULTS },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Nothing is left behind if the test that waits for it ends.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return readyProcess(child)
}
