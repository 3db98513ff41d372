/** A backup of a platform that is written to: nothing that was confirmed before it is missing from it. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventually, newKey } from '../../../../test/world.ts'
import {
  databaseStopped,
  newInstallation,
  query,
  tellerOf,
  type Installation,
} from '../../../cli/test/installation.ts'
import type { Manifest } from '../manifest.ts'

let place: Installation
let token: string
/** Transfers that had been confirmed when the backup began. */
let confirmed: string[]
/** What the command said about it. */
let printed: unknown
let data: string
let backup: string

beforeAll(async () => {
  place = newInstallation()
  data = place.data('data')
  backup = place.data('backup')
  const platform = await place.platform(data)
  token = await tellerOf(data)
  fs.mkdirSync(join(data, 'objects/ab'), { recursive: true, mode: 0o700 })
  fs.writeFileSync(join(data, 'objects/ab/cd'), 'an object')
  const load = await transfers(platform.url)
  await eventually('transfers are made', () => load.ids.length > 50)
  confirmed = [...load.ids]
  const creating = place.begin(data, ['backup', 'create', backup, '--json'])
  // New log segments while the files are copied: all of them belong to the backup.
  let over = false
  const done = creating.outcome.finally(() => {
    over = true
  })
  await eventually('files are copied', () => over || fs.existsSync(join(backup, 'postgres/pg_wal')))
  for (let n = 0; n < 3 && !over; n++) await query(data, 'select pg_switch_wal()')
  const { code, out, err } = await done
  const later = load.ids.length
  await eventually('transfers go on', () => load.ids.length > later)
  await load.stop()
  if (code !== 0) throw new Error(`no backup was made: ${err}`)
  printed = JSON.parse(out)
  await platform.kill('SIGTERM')
})
afterAll(() => place.close())

/** Moves money from four accounts to each other until it is stopped. */
async function transfers(url: string) {
  const accounts: string[] = []
  for (let n = 0; n < 4; n++) {
    const body = { name: `account ${n}`, balance_minor: 1_000_000 }
    accounts.push((await call(url, 'POST', '/v1/book/accounts', { token, body })).body.id)
  }
  const ids: string[] = []
  let stopped = false
  const lanes = accounts.map(async (from_id, at) => {
    while (!stopped) {
      const body = { from_id, to_id: accounts[(at + 1) % 4], amount_minor: 1 }
      const answer = await call(url, 'POST', '/v1/book/transfers', { token, key: newKey(), body })
      if (answer.status === 201) ids.push(answer.body.id)
    }
  })
  const stop = async () => {
    stopped = true
    await Promise.all(lanes)
  }
  return { ids, stop }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(fs.readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
}

describe('a backup under load', () => {
  test('holds its log segments, nothing of the running server, and is for its owner only', () => {
    const { files, database, migrations } = manifestOf(backup)
    const paths = Object.keys(files)
    expect(printed).toMatchObject({
      folder: backup,
      included: ['database', 'objects', 'keys', 'first administrator'],
    })
    expect(paths.filter(path => path.startsWith('postgres/pg_wal/'))).not.toEqual([])
    expect(paths.filter(path => /postmaster|\.s\.PGSQL|runtime|companions/.test(path))).toEqual([])
    expect(paths).toEqual(expect.arrayContaining(['keys.json', 'objects/ab/cd']))
    expect(database).toMatchObject({ kind: 'cluster', timeline: 1 })
    expect(migrations).toMatchObject({ book: 1, people: 1 })
    expect(fs.statSync(backup).mode & 0o777).toBe(0o700)
    expect(fs.statSync(join(backup, 'keys.json')).mode & 0o777).toBe(0o600)
  })

  test('is proven by a database that recovers from it', async () => {
    const { code, out } = await place.run(data, ['backup', 'verify', backup, '--json'])
    expect(JSON.parse(out)).toMatchObject({ ok: true, started: true, violations: [] })
    expect(code).toBe(0)
  })

  test('restores every transfer that was confirmed before it, and the book agrees', async () => {
    const fresh = place.data('fresh')
    const restored = await place.run(fresh, ['backup', 'restore', backup])
    expect(restored.err).toContain('Recovering the database')
    expect(restored.code).toBe(0)
    const platform = await place.platform(fresh)
    const rows = await query<{ id: string }>(fresh, 'select id from book.transfers')
    const kept = new Set(rows.map(row => row.id))
    expect(confirmed.filter(id => !kept.has(id))).toEqual([])
    const examined = await place.run(fresh, ['doctor', 'book', '--json'])
    expect(JSON.parse(examined.out)).toMatchObject({ ok: true, checks: [{ check: 'book' }] })
    expect(fs.readFileSync(join(fresh, 'objects/ab/cd'), 'utf8')).toBe('an object')
    // The keys were restored too: an old token is still valid, and the platform works.
    const answer = await call(platform.url, 'POST', '/v1/book/accounts', {
      token,
      body: { name: 'after', balance_minor: 5 },
    })
    expect(answer.status).toBe(201)
    const acts = await query(fresh, 'select action from kernel.audit_events order by id')
    expect(acts).toEqual([{ action: 'kernel.backups.restore' }])
    await platform.kill('SIGTERM')
  })
})

/** A copy of the backup in which one byte is another one. */
function damaged(name: string, path: string): string {
  const copy = place.data(name)
  fs.cpSync(backup, copy, { recursive: true })
  const file = fs.openSync(join(copy, path), 'r+')
  const byte = Buffer.alloc(1)
  const at = Math.floor(fs.statSync(join(copy, path)).size / 2)
  fs.readSync(file, byte, 0, 1, at)
  fs.writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  fs.closeSync(file)
  return copy
}

describe('a damaged backup', () => {
  const control = 'postgres/global/pg_control'

  test('is found by one flipped byte, and is not restored', async () => {
    const copy = damaged('flipped', control)
    const verified = await place.run(data, ['backup', 'verify', copy])
    expect(verified).toMatchObject({ code: 1 })
    expect(verified.out).toContain(`${control} was changed`)
    const fresh = place.data('not-restored')
    const restored = await place.run(fresh, ['backup', 'restore', copy])
    expect(restored).toMatchObject({ code: 1, out: '' })
    expect(restored.err).toMatch(/The backup is damaged: .*pg_control was changed/)
    expect(fs.existsSync(fresh)).toBe(false)
  })

  test('is found where a file is missing, was added, or the manifest itself was changed', async () => {
    const copy = damaged('incomplete', control)
    fs.rmSync(join(copy, 'objects/ab/cd'))
    fs.writeFileSync(join(copy, 'objects/more'), '')
    const { out } = await place.run(data, ['backup', 'verify', copy, '--json'])
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      violations: [
        'objects/ab/cd is missing',
        'objects/more is not part of the backup',
        `${control} was changed`,
      ],
    })
    const altered = await place.run(data, ['backup', 'verify', damaged('altered', 'manifest.json')])
    expect(altered.err).toMatch(/manifest\.json was changed/)
    expect(altered.code).toBe(1)
  })

  test('that names a whole set of files but lacks log is found by the recovery', async () => {
    const copy = place.data('unlogged')
    fs.cpSync(backup, copy, { recursive: true })
    const { writeManifest } = await import('../manifest.ts')
    const manifest = manifestOf(copy) as Manifest & { sha256?: string }
    delete manifest.sha256
    const files = Object.entries(manifest.files)
    const last = files.findLast(([path]) => path.startsWith('postgres/pg_wal/'))?.[0] ?? ''
    fs.rmSync(join(copy, last))
    await writeManifest(copy, {
      ...manifest,
      files: Object.fromEntries(files.filter(([path]) => path !== last)),
    })
    const { code, out } = await place.run(data, ['backup', 'verify', copy])
    expect(out).toMatch(
      /does not recover: .*(WAL ends before end of online backup|checkpoint record)/,
    )
    expect(code).toBe(1)
  })
})

describe('a backup is refused', () => {
  test('into a folder that is not empty, or inside the data folder', async () => {
    const occupied = await place.run(data, ['backup', 'create', backup])
    expect(occupied.err).toContain('is not empty')
    const inside = await place.run(data, ['backup', 'create', join(data, 'backup')])
    expect(inside.err).toContain('is inside the data folder')
    expect([occupied.code, inside.code]).toEqual([1, 1])
    expect(fs.existsSync(join(data, 'backup'))).toBe(false)
  })

  test('for a restore over what is there, running or not', async () => {
    await databaseStopped(data)
    const over = await place.run(data, ['backup', 'restore', backup])
    expect(over).toMatchObject({ code: 1, out: '' })
    expect(over.err).toContain(`${data} is not empty`)
    const platform = await place.platform(data)
    const running = await place.run(data, ['backup', 'restore', backup])
    expect(running.err).toContain(`A platform is running on ${data}. Stop it`)
    await platform.kill('SIGTERM')
    const half = place.data('half')
    fs.mkdirSync(half)
    const none = await place.run(data, ['backup', 'verify', half])
    expect(none.err).toContain('is not a backup: it has no manifest.json')
    expect(fs.readdirSync(half)).toEqual([])
  })
})
