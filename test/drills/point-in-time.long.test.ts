/**
 * A mistake at noon: PostgreSQL is restored to the moment before it from a base backup and its archived
 * log, and the platform goes on from there with its own keys and files.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  newInstallation,
  query,
  tellerOf,
  type Installation,
} from '../../src/cli/test/installation.ts'
import { freePort } from '../free-port.ts'
import {
  asPostgres,
  postgresAccount,
  postgresIsInstalled,
  postgresProgram,
} from '../postgres-15.ts'
import { call, eventually, newKey } from '../world.ts'

const run = promisify(execFile)

describe.skipIf(!postgresIsInstalled)('a point in time', () => {
  let place: Installation
  let home: string
  let server: ChildProcess | undefined
  let port: number
  const url = () => `postgres://postgres@127.0.0.1:${port}/postgres`

  const command = async (name: string, ...args: string[]) => {
    const [program = '', ...argv]: readonly string[] = [
      ...asPostgres(postgresAccount()),
      postgresProgram(name),
      ...args,
    ]
    await run(program, argv, { cwd: '/' })
  }
  const start = async (folder: string) => {
    const [program = '', ...argv]: readonly string[] = [
      ...asPostgres(postgresAccount()),
      postgresProgram('postgres'),
      '-D',
      folder,
      '-p',
      String(port),
    ]
    server = spawn(program, argv, { cwd: '/', stdio: 'ignore' })
    await eventually('PostgreSQL accepts writes', () =>
      ask('select pg_is_in_recovery() as it').then(
        ([row]) => row?.['it'] === false,
        () => false,
      ),
    )
  }
  const stop = async () => {
    if (!server || server.exitCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGINT')
    await gone
  }
  const ask = async (text: string) => {
    const client = new pg.Client({ connectionString: url() })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  beforeAll(async () => {
    place = newInstallation()
    home = await mkdtemp(join(tmpdir(), 'dodeca-point-in-time-'))
    const { uid, gid } = postgresAccount()
    await mkdir(join(home, 'archive'))
    for (const folder of [home, join(home, 'archive')]) await chown(folder, uid, gid)
    port = await freePort()
    const first = join(home, 'first')
    await command('initdb', '-D', first, '-U', 'postgres', '-A', 'trust')
    const settings = `listen_addresses = '127.0.0.1'
unix_socket_directories = '${home}'
fsync = off
archive_mode = on
archive_command = 'cp %p ${home}/archive/%f'
restore_command = 'cp ${home}/archive/%f %p'
recovery_target_action = 'promote'
`
    await writeFile(join(first, 'postgresql.conf'), settings, { flag: 'a' })
    await start(first)
  })
  afterAll(async () => {
    await place.close()
    await stop()
    await rm(home, { recursive: true, force: true })
  })

  test('is restored: what came before is there, the mistake is not, and work goes on', async () => {
    const data = place.data('data')
    const before = await place.platform(data, { DATABASE_URL: url() })
    const token = await tellerOf(data)
    const open = async (at: string, name: string) => {
      const body = { name, balance_minor: 100 }
      const made = await call(at, 'POST', '/v1/book/accounts', { token, body })
      return made.body.id as string
    }
    const [from_id, to_id] = [await open(before.url, 'from'), await open(before.url, 'to')]
    const transfer = (at: string, amount_minor: number, key = newKey()) =>
      call(at, 'POST', '/v1/book/transfers', { token, key, body: { from_id, to_id, amount_minor } })
    await command(
      'pg_basebackup',
      '-D',
      join(home, 'base'),
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-U',
      'postgres',
      '-X',
      'none',
      '-c',
      'fast',
    )
    const good = await transfer(before.url, 10)
    expect(good.status).toBe(201)
    const [moment] = await ask('select clock_timestamp()::text as at')
    const mistake = await transfer(before.url, 90)
    expect(mistake.status).toBe(201)
    await before.kill('SIGTERM')
    // A server that stops archives what it has written.
    await ask('select pg_switch_wal()')
    await stop()

    const base = join(home, 'base')
    const target = `recovery_target_time = '${moment?.['at'] as string}'\n`
    await writeFile(join(base, 'postgresql.auto.conf'), target, { flag: 'a' })
    await writeFile(join(base, 'recovery.signal'), '')
    await start(base)
    const after = await place.platform(data, { DATABASE_URL: url() })
    const stored = await query<{ id: string }>(data, 'select id from book.transfers')
    expect(stored.map(({ id }) => id)).toEqual([good.body.id])
    expect((await transfer(after.url, 5)).status).toBe(201)
    const read = await call(after.url, 'GET', `/v1/book/accounts/${to_id}`, { token })
    expect(read.body.balance_minor).toBe(115)
    // All but durability: this database does not wait for its disk.
    const checks = ['clock', 'migrations', 'keys', 'parks', 'outbox', 'book']
    const doctor = await place.run(data, ['doctor', ...checks], { env: { DATABASE_URL: url() } })
    expect([doctor.code, doctor.out]).toEqual([0, expect.anything()])
    await after.kill('SIGTERM')
  })
})
