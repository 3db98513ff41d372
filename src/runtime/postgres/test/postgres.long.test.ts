/**
 * The embedded PostgreSQL with real processes: acknowledged data survives any crash, nothing is
 * left running, and each refusal is a sentence that says what to do. A holder is a Node process
 * that opens the database and releases it when its input ends.
 */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { openDataDir } from '../../data-dir.ts'
import { nativeDir } from '../embedded-binaries.ts'
import { openPostgres } from '../start-embedded.ts'
import {
  clear,
  type Holder,
  closedFolder,
  openFolder,
  optionsFor,
  stopped,
  holder,
  kill,
  query,
  postmasterPid,
  isServer,
  started,
  keep,
  kept,
} from './holder.ts'

const is_root = process.geteuid?.() === 0

afterEach(clear)

describe('start', () => {
  test('in a closed folder, with programs in a closed folder, durable and unprivileged', async () => {
    const folder = closedFolder()
    const native_dir = join(folder, 'package', 'native')
    fs.cpSync(nativeDir(), native_dir, { recursive: true, verbatimSymlinks: true })
    fs.copyFileSync(join(nativeDir(), '../package.json'), join(native_dir, '../package.json'))
    const system_dir = join(openFolder(), 'system')
    const options = { ...optionsFor(folder), native_dir, system_dir }
    const held = await openPostgres(options)
    const [row] = await query(
      held.url,
      `select current_user as who, current_database() as database, rolsuper as may_all,
         current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
         current_setting('data_checksums') as checksums, lower('ÄÖÉ') as folded
       from pg_roles where rolname = current_user`,
    )
    expect(row).toEqual({
      who: 'dodeca',
      database: 'dodeca',
      may_all: false,
      fsync: 'on',
      commit: 'on',
      checksums: 'on',
      folded: 'äöé',
    })
    expect(fs.statSync(held.cluster_dir).uid).not.toBe(0)
    expect(fs.statSync(held.cluster_dir).mode & 0o777).toBe(0o700)
    expect(fs.lstatSync(join(options.data_dir, 'postgres')).isSymbolicLink()).toBe(is_root)
    expect(held.bin_dir.startsWith(system_dir)).toBe(is_root)
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
    await held.release()
    expect(await stopped(options.data_dir)).toBe(true)
    const again = await openPostgres(options)
    expect(again.cluster_dir).toBe(held.cluster_dir)
    await again.release()
  })

  test.each([0o755, 0o700])(
    'below open folders, mode %o: it lies in DATA_DIR itself',
    async mode => {
      const folder = openFolder()
      const data_dir = join(fs.realpathSync(folder), 'data')
      fs.mkdirSync(data_dir, { mode })
      const held = await started(folder)
      expect(held.cluster_dir).toBe(join(data_dir, 'postgres'))
      const closed = fs.statSync(data_dir).mode & 0o067
      expect(mode === 0o700 ? closed : 0).toBe(0)
      await held.release()
    },
  )

  test('a wrong password and a superuser are refused', async () => {
    const held = await started(openFolder())
    const { port } = new URL(held.url)
    for (const name of ['dodeca', 'postgres']) {
      const guess = `postgresql://${name}:guessed@127.0.0.1:${port}/dodeca`
      await expect(query(guess, 'select 1')).rejects.toThrow('password authentication failed')
    }
    await held.release()
  })
})

describe('death', () => {
  test('kill -9 of the only holder leaves no server, and a start at once keeps every row', async () => {
    const options = optionsFor(openFolder())
    const first = await holder(options)
    await query(first.url, keep)
    const pid = postmasterPid(first.cluster_dir)
    await kill(first.child)
    const second = await holder(options)
    expect(second.joined).toBe(false)
    expect(isServer(pid)).toBe(false)
    expect(await query(second.url, kept)).toEqual([{ answer: 42 }])
    const next_pid = postmasterPid(second.cluster_dir)
    await kill(second.child)
    await expect.poll(() => isServer(next_pid), { timeout: 150_000 }).toBe(false)
  })

  test('two start at once: one starts it, one joins; after the first is killed, the other continues', async () => {
    const options = optionsFor(openFolder())
    const both = await Promise.all([holder(options), holder(options)])
    const [first, second] = both.sort((a, b) => Number(a.joined) - Number(b.joined)) as [
      Holder,
      Holder,
    ]
    expect([first.joined, second.joined]).toEqual([false, true])
    expect(second.url).toBe(first.url)
    const client = new pg.Client({ connectionString: second.url })
    await client.connect()
    await kill(first.child)
    const third = await holder(options)
    expect([third.joined, third.url]).toEqual([true, second.url])
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
  })

  test('kill -9 of the server: it comes back at the same address with every row', async () => {
    const held = await started(openFolder())
    const pid = postmasterPid(held.cluster_dir)
    process.kill(pid, 'SIGKILL')
    const answer = () => query(held.url, kept).catch(() => [])
    await expect.poll(answer, { timeout: 150_000 }).toEqual([{ answer: 42 }])
    expect(postmasterPid(held.cluster_dir)).not.toBe(pid)
    await held.release()
  })

  test('kill -9 of everything, keeper and server too, then a start at once', async () => {
    const options = optionsFor(openFolder())
    const first = await holder(options)
    await query(first.url, keep)
    const journal = fs.readFileSync(join(options.data_dir, 'companions/postgres.journal'), 'utf8')
    const keeper = Number(/^keeper (\d+)$/m.exec(journal)?.[1])
    first.child.kill('SIGKILL')
    process.kill(keeper, 'SIGKILL')
    process.kill(postmasterPid(first.cluster_dir), 'SIGKILL')
    const second = await holder(options)
    expect(second.joined).toBe(false)
    expect(await query(second.url, kept)).toEqual([{ answer: 42 }])
  })

  test('a stale postmaster.pid with the pid of another program does not prevent the start', async () => {
    const folder = openFolder()
    const held = await started(folder)
    const pid_file = join(held.cluster_dir, 'postmaster.pid')
    const lines = fs.readFileSync(pid_file, 'utf8').split('\n')
    await held.release()
    await stopped(join(folder, 'data'))
    const { uid, gid } = fs.statSync(held.cluster_dir)
    const stranger = spawn('sleep', ['300'], { uid, gid, stdio: 'ignore' })
    try {
      // Of the same account, or PostgreSQL would know by itself that it cannot be a server's.
      fs.writeFileSync(pid_file, [String(stranger.pid), ...lines.slice(1)].join('\n'), {
        mode: 0o600,
      })
      fs.chownSync(pid_file, uid, gid)
      const again = await openPostgres(optionsFor(folder))
      expect(await query(again.url, kept)).toEqual([{ answer: 42 }])
      await again.release()
    } finally {
      stranger.kill()
    }
  })

  test('an interrupted first start is repeated', async () => {
    const folder = openFolder()
    const half = join(openDataDir(optionsFor(folder).data_dir).path, 'postgres.new')
    fs.mkdirSync(half)
    fs.writeFileSync(join(half, 'PG_VERSION'), '18\n')
    const held = await started(folder)
    expect(fs.existsSync(half)).toBe(false)
    await held.release()
  })
})

describe('refusals', () => {
  const expectRefused = async (folder: string, words: RegExp) => {
    const error = await openPostgres(optionsFor(folder)).catch(String)
    expect(error).toMatch(/^StartError: /)
    expect(error).toMatch(words)
  }

  test('a database of another major version is left alone', async () => {
    const folder = openFolder()
    const held = await started(folder)
    await held.release()
    await stopped(join(folder, 'data'))
    const version_file = join(held.cluster_dir, 'PG_VERSION')
    fs.writeFileSync(version_file, '17\n')
    await expectRefused(folder, /made by PostgreSQL 17, and this platform contains PostgreSQL 18/)
    fs.writeFileSync(version_file, '18\n')
    const again = await openPostgres(optionsFor(folder))
    expect(await query(again.url, kept)).toEqual([{ answer: 42 }])
    await again.release()
  })

  test('foreign files, a lost folder, a broken database', async () => {
    const folder = openFolder()
    const postgres = join(openDataDir(join(folder, 'data')).path, 'postgres')
    fs.mkdirSync(postgres)
    fs.writeFileSync(join(postgres, 'letter.txt'), 'dear')
    await expectRefused(folder, /no database of this platform/)
    fs.rmSync(postgres, { recursive: true })
    fs.symlinkSync(join(folder, 'unmounted'), postgres)
    await expectRefused(folder, /is missing/)
    fs.unlinkSync(postgres)
    const held = await started(folder)
    await held.release()
    await stopped(join(folder, 'data'))
    fs.rmSync(join(held.cluster_dir, 'global', 'pg_control'))
    await expectRefused(folder, /does not start: .*postgres\.log/)
  })

  test('a DATA_DIR that cannot be written', async () => {
    const folder = openFolder()
    const data_dir = join(folder, 'file', 'data')
    fs.writeFileSync(join(folder, 'file'), '')
    const opening = openPostgres({ data_dir, progress: () => undefined })
    await expect(opening).rejects.toThrow(/cannot be written to .* DATA_DIR/)
  })
})
