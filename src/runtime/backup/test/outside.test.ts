/**
 * Backups with an external database: what is included, what is not, and that the command says so.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { newInstallation, type Installation } from '../../../cli/test/installation.ts'

let place: Installation
let clone: Clone
let data: string

beforeAll(async () => {
  place = newInstallation()
  clone = await cloneDatabase()
  data = place.data('data')
  mkdirSync(join(data, 'objects'), { recursive: true })
  writeFileSync(join(data, 'objects/one'), 'an object')
})
afterAll(async () => {
  await place.close()
  await clone.drop()
})

test('without pg_dump the database is said to be missing, objects and keys are there', async () => {
  const backup = place.data('files-only')
  // A PATH on which there is nothing but this Node.
  const env = { DATABASE_URL: clone.url, PATH: dirname(process.execPath) }
  const created = await place.begin(data, ['backup', 'create', backup], { env }).outcome
  expect(created.out).toMatch(/Included: objects, keys\.\nNot included: database: .* no pg_dump/)
  expect(created.code).toBe(0)
  const verified = await place.begin(data, ['backup', 'verify', backup], { env }).outcome
  expect(verified.out).toMatch(/^Good\. Every file is correct\.\n/)
  const fresh = place.data('files')
  const restored = await place.begin(fresh, ['backup', 'restore', backup], { env }).outcome
  expect(restored.code).toBe(0)
  expect(readFileSync(join(fresh, 'objects/one'), 'utf8')).toBe('an object')
  expect(readFileSync(join(fresh, 'keys.json'))).toEqual(readFileSync(join(data, 'keys.json')))
  expect(existsSync(join(fresh, 'postgres'))).toBe(false)
})

function majorOf(program: string): number {
  try {
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' })
    return Number(/(\d+)\.\d/.exec(version)?.[1])
  } catch {
    return 0
  }
}

async function serverMajor(): Promise<number> {
  const client = new pg.Client({ connectionString: inject('admin_url') })
  await client.connect()
  const { rows } = await client.query<{ number: string }>(
    `select current_setting('server_version_num') as number`,
  )
  await client.end()
  return Math.floor(Number(rows[0]?.number) / 10_000)
}

test('with pg_dump the database is included, proven and restored; an older one is refused', async ({
  skip,
}) => {
  const [program, server] = [majorOf('pg_dump'), await serverMajor()]
  skip(program === 0, 'there is no pg_dump on this machine')
  const backup = place.data('dumped')
  const env = { DATABASE_URL: clone.url }
  const created = await place.run(data, ['backup', 'create', backup, '--json'], { env })
  const too_old = program < server
  expect(created.err).toMatch(too_old ? /could not be copied: .*server version mismatch/ : /^$/)
  expect([created.code, existsSync(backup)]).toEqual(too_old ? [1, false] : [0, true])
  if (too_old) return
  expect(JSON.parse(created.out)).toMatchObject({
    database: { kind: 'dump' },
    included: ['database', 'objects', 'keys'],
    not_included: [],
  })
  const verified = await place.run(data, ['backup', 'verify', backup, '--json'], { env })
  expect(JSON.parse(verified.out)).toMatchObject({ ok: true, started: true, violations: [] })
  const over = await place.run(place.data('over'), ['backup', 'restore', backup], { env })
  expect(over.err).toContain('contains a platform already, and a restore replaces nothing')
  const embedded = place.data('embedded')
  const restored = await place.run(embedded, ['backup', 'restore', backup])
  expect(restored.code).toBe(0)
  const examined = await place.run(embedded, ['doctor', '--json'])
  expect(JSON.parse(examined.out)).toMatchObject({ ok: true })
})
