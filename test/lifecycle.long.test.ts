/**
 * Starting and stopping as a person or a service manager sees it: one clear sentence for whatever is
 * wrong, nothing lost by a signal, nothing left behind by a kill.
 */
import { spawn, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBank } from './bank.ts'
import { startProcess } from './process.ts'
import { call, cloneDatabase, eventually, openWorld, type World } from './world.ts'
import { endsWithFile } from './children.ts'

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url))

type Run = { child: ReturnType<typeof spawn>; output(): string; ended: Promise<number | string> }

function run(environment: Record<string, string>): Run {
  const child = endsWithFile(
    spawn(process.execPath, [main], {
      // A group of its own, as a terminal gives one: signals can go to all of it.
      detached: true,
      env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'error', PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  child.stdout.on('data', part => (output += String(part)))
  child.stderr.on('data', part => (output += String(part)))
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  return { child, output: () => output, ended }
}

function portOf(text: string): string | undefined {
  return /ready on port (\d+)/.exec(text)?.[1]
}

/** Resolves when it has printed its port, however long it starts, or rejects when it has ended. */
async function ready(one: Run): Promise<string> {
  const early = one.ended.then(code => {
    throw new Error(`ended with ${code}: ${one.output()}`)
  })
  while (!portOf(one.output())) {
    await Promise.race([early, once(one.child.stdout ?? one.child, 'data')])
  }
  return `http://127.0.0.1:${portOf(one.output())}`
}

/** On a busy machine the database may take longer than the second for which a check waits. */
const serves = (url: string) =>
  eventually('it is ready', async () => (await call(url, 'GET', '/readyz')).status === 200)

let data_dir: string
beforeAll(async () => {
  data_dir = await mkdtemp(join(tmpdir(), 'dodeca-lifecycle-'))
})
afterAll(() => rm(data_dir, { recursive: true, force: true }))

describe('an error that a person can fix is one sentence', () => {
  test.each([
    [
      'an unknown setting',
      { KERNEL_BODY_LIMIT_BYTE: '5' },
      'Did you mean KERNEL_BODY_LIMIT_BYTES?',
    ],
    [
      'a misspelt variable',
      { DATABSE_URL: 'postgres://x@127.0.0.1:9/x' },
      'There is no setting DATABSE_URL. Did you mean DATABASE_URL?',
    ],
    [
      'production without a database',
      { PROFILE: 'production' },
      'set DATABASE_URL=postgres://user:password@host/database, or DATABASE_URL=embedded',
    ],
    ['a malformed setting', { KERNEL_DATABASE_POOL: 'many' }, 'must be a number from 2 to 500'],
    ['a malformed port', { PORT: '99999' }, 'PORT must be a whole number from 0 to 65535'],
    [
      'a malformed profile',
      { PROFILE: 'staging' },
      'PROFILE must be one of development, production',
    ],
    [
      'a database address that is none',
      { DATABASE_URL: 'mysql://x' },
      'DATABASE_URL must look like',
    ],
    [
      'a database that does not answer',
      { DATABASE_URL: 'postgres://x@127.0.0.1:9/x' },
      'DATABASE_URL does not answer',
    ],
    [
      'production without keys',
      { PROFILE: 'production', DATABASE_URL: 'postgres://x@127.0.0.1:9/x' },
      'KERNEL_KEYRING and KERNEL_PEPPER',
    ],
    ['a folder that cannot be written', { DATA_DIR: '/proc/dodeca' }, '/proc'],
    [
      'faults in production',
      { PROFILE: 'production', KERNEL_FAULTS: 'a=kill' },
      'KERNEL_FAULTS is for development',
    ],
    [
      'the sandbox in production',
      { PROFILE: 'production', KERNEL_SANDBOX: 'true' },
      'KERNEL_SANDBOX is for development',
    ],
  ])('%s', async (_name, environment, sentence) => {
    const one = run({ DATA_DIR: join(data_dir, 'mend'), ...environment })
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain(sentence)
    expect(one.output()).not.toContain('    at ')
  })

  test('a port in use', async () => {
    const clone = await cloneDatabase('product_template')
    const holder = createServer()
    holder.listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const one = run({
      DATABASE_URL: clone.url,
      DATA_DIR: join(data_dir, 'port'),
      PORT: String(port),
      KERNEL_SANDBOX: 'false',
    })
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain(`Port ${port} is in use`)
    holder.close()
    await clone.drop()
  })

  test.each([
    ['of a newer version', 'links', 'used by a newer version'],
    ['with a surface that is off', 'crm', 'has tables of the surface crm, which is off'],
  ])('a database %s is refused untouched', async (_name, schema, sentence) => {
    const clone = await cloneDatabase('product_template')
    const client = new pg.Client({ connectionString: clone.url })
    await client.connect()
    await client.query(
      `insert into kernel.migrations (schema, number, name, checksum) values ($1, 99, 'later', '')`,
      [schema],
    )
    const count = async () =>
      (await client.query('select count(*)::int as n from kernel.migrations')).rows[0] as {
        n: number
      }
    const before = await count()
    const one = run({
      DATABASE_URL: clone.url,
      DATA_DIR: join(data_dir, schema),
      KERNEL_SANDBOX: 'false',
    })
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain(sentence)
    expect(await count()).toEqual(before)
    await client.end()
    await clone.drop()
  })
})

describe('on a data folder', () => {
  test('two processes share one database; the second continues when the first is killed', async () => {
    const folder = join(data_dir, 'shared')
    const first = run({ DATA_DIR: folder })
    const one = await ready(first)
    await serves(one)
    const taken = portOf(first.output())
    const rival = run({ DATA_DIR: folder, PORT: String(taken) })
    expect(await rival.ended).toBe(1)
    expect(rival.output()).toContain(`Port ${taken} is in use`)
    const second = run({ DATA_DIR: folder })
    const two = await ready(second)
    first.child.kill('SIGKILL')
    await first.ended
    await serves(two)
    process.kill(-(second.child.pid ?? 0), 'SIGINT')
    expect(await second.ended).toBe(0)
    await eventually('no PostgreSQL is left', () => orphans(folder) === 0)
  })

  test('after SIGKILL of its whole group it starts again at once, unaided', async () => {
    const folder = join(data_dir, 'killed')
    const first = run({ DATA_DIR: folder })
    await ready(first)
    process.kill(-(first.child.pid ?? 0), 'SIGKILL')
    await first.ended
    const again = run({ DATA_DIR: folder })
    const url = await ready(again)
    await serves(url)
    const facts = JSON.parse(await readFile(join(folder, 'runtime.json'), 'utf8')) as {
      pid: number
    }
    expect(facts.pid).toBe(again.child.pid)
    process.kill(-(again.child.pid ?? 0), 'SIGTERM')
    expect(await again.ended).toBe(0)
    await eventually('no PostgreSQL is left', () => orphans(folder) === 0)
  })
})

/** Processes whose command line names the folder. */
function orphans(folder: string): number {
  const list = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return list.split('\n').filter(line => line.includes(folder)).length
}

describe('SIGTERM', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ ROLES: 'api' })
  })
  afterAll(() => world.close())

  test('ends a stream with its terminal event, finishes the running request, exits 0', async () => {
    const victim = await startProcess(world.environment)
    const bank = await openBank(world)
    const [from, to] = [await bank.open(10), await bank.open(0)]
    await call(victim.url, 'POST', '/dev/faults', {
      body: { point: 'kernel.before_commit', action: 'delay:700', times: 1 },
    })
    const stream = call(victim.url, 'POST', '/v1/relay/words:stream', {
      token: bank.teller.token,
      body: { text: Array.from({ length: 500 }, () => 'x').join(' '), pause_ms: 50 },
    })
    const transfer = bank.transfer(from, to, 1, { url: victim.url })
    const admin = new pg.Client({ connectionString: world.database_url })
    await admin.connect()
    await eventually('the transfer is under way', async () => {
      const { rows } = await admin.query(
        `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      )
      return rows.length > 0
    })
    await admin.end()
    victim.child.kill('SIGTERM')
    expect((await stream).text).toMatch(/event: error\ndata: \{"code":"shutting_down"\}\n\n$/)
    expect((await transfer).status).toBe(201)
    expect(await victim.gone).toEqual({ code: 0, signal: null })
    expect(await bank.balance(to)).toBe(1)
  })

  test('leaves the proxies time to notice, and serves meanwhile', async () => {
    const victim = await startProcess({ ...world.environment, KERNEL_DRAIN_SECONDS: '4' })
    victim.child.kill('SIGTERM')
    const isReady = async () => (await call(victim.url, 'GET', '/readyz')).status === 200
    await eventually('it says that it is not ready', async () => !(await isReady()))
    const answer = await call(victim.url, 'GET', '/problems')
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    expect(await victim.gone).toEqual({ code: 0, signal: null })
  })
})
