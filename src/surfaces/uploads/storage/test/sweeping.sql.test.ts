/** What is left behind goes, what is needed stays, and a tenant is charged for exactly what is stored. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { picture } from '../../processing/test/samples.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld({
    UPLOADS_TENANT_QUOTA_BYTES: String(1_000_000),
    UPLOADS_DELETED_DAYS: '0',
    UPLOADS_QUARANTINE_DAYS: '0',
    UPLOADS_SWEEP_SECONDS: '0.1',
    UPLOADS_ORPHAN_SECONDS: '1',
    UPLOADS_PART_BYTES: String(5 * 1024 * 1024),
  })
})
afterAll(() => world.close())

async function used({ tenant }: Member): Promise<number> {
  const { bytes } = await world.platform.kernel.db.one(
    Type.Object({ bytes: Type.Integer() }),
    sql`
      select coalesce(sum(reserved_bytes), 0)::bigint as bytes from uploads.tenant_usage
      where tenant_id = ${tenant.id}`,
  )
  return bytes
}

const row = async (file_id: string) =>
  await world.platform.kernel.db.one(
    Type.Object({
      state: Type.String(),
      storage_key: Type.String(),
      error_code: Type.Union([Type.String(), Type.Null()]),
    }),
    sql`select state, storage_key, error_code from uploads.files where id = ${file_id}`,
  )
const pathOf = (key: string) => join(world.data_dir, 'objects', key)
const exists = async (path: string) =>
  (await readdir(dirname(path)).catch(() => [])).some(name => path.endsWith(name))

describe.concurrent('the quota of a tenant', () => {
  test('is never passed, however many begin at once, and is given back in the end', async () => {
    const who = await world.member()
    const made = await Promise.all(
      Array.from({ length: 50 }, () => world.begin(who, randomBytes(30_000))),
    )
    const begun = made.filter(one => one.status === 201)
    expect(begun).toHaveLength(33)
    for (const one of made.filter(found => found.status !== 201))
      expect([one.status, one.body.code]).toEqual([429, 'quota_exceeded'])
    expect(await used(who)).toBe(990_000)
    await Promise.all(
      begun.map(one => world.call('DELETE', `/v1/uploads/${one.body.id}`, { token: who.token })),
    )
    await eventually('all bytes are given back', async () => (await used(who)) === 0)
  })

  test('counts derivatives, and gives bytes back when they are gone from the disk', async () => {
    const who = await world.member()
    const bytes = await picture(300, 300)
    const order = { purpose: 'avatar', media_category: 'image' }
    const { file, file_id } = await world.store(who, bytes, order)
    const sizes = file.derivatives.map((one: { size: number }) => one.size)
    const sum = bytes.length + sizes[0] + sizes[1]
    expect(await used(who)).toBe(sum)
    const { storage_key } = await row(file_id)
    expect(await exists(pathOf(storage_key))).toBe(true)
    await world.call('DELETE', `/v1/files/${file_id}`, { token: who.token })
    await eventually('the file is purged', async () => (await used(who)) === 0)
    expect((await row(file_id)).state).toBe('purged')
    expect(await exists(pathOf(storage_key))).toBe(false)
  })

  test('is purged, also beside a file whose bytes cannot be removed', async () => {
    const [stuck, who] = [await world.member(), await world.member()]
    const bad = await world.store(stuck, randomBytes(100))
    const path = pathOf((await row(bad.file_id)).storage_key)
    await rm(path)
    await mkdir(path)
    await world.call('DELETE', `/v1/files/${bad.file_id}`, { token: stuck.token })
    await eventually('it is put off', async () => (await row(bad.file_id)).state === 'purged')
    const good = await world.store(who, randomBytes(100))
    await world.call('DELETE', `/v1/files/${good.file_id}`, { token: who.token })
    await eventually('the other file is purged', async () => (await used(who)) === 0)
    expect(await used(stuck)).toBe(100)
    // A sweep an hour later removes what can be removed then.
    await rm(path, { recursive: true })
    await world.platform.kernel.db.run(sql`
      update uploads.files set retention_until = kernel.now() where id = ${bad.file_id}`)
    await eventually('its bytes are given back', async () => (await used(stuck)) === 0)
  })

  test('gets back what was refused once its time in quarantine is over', async () => {
    const who = await world.member()
    const bytes = Buffer.concat([Buffer.from('7f454c46', 'hex'), randomBytes(3)])
    const { body } = await world.begin(who, bytes, { checksum: `sha256:${'0'.repeat(64)}` })
    await world.send(body, bytes)
    await world.complete(who, body.id)
    await world.call('DELETE', `/v1/uploads/${body.id}`, { token: who.token })
    const mismatch = await world.begin(who, Buffer.from('hello'), {
      checksum: `sha256:${'0'.repeat(64)}`,
    })
    await world.send(mismatch.body, Buffer.from('hello'))
    expect((await world.complete(who, mismatch.body.id)).status).toBe(422)
    await eventually('all bytes are given back', async () => (await used(who)) === 0)
  })
})

describe.concurrent('what no row names', () => {
  const old = new Date('2026-01-01')

  test('is removed once it is old; what is young, or named, stays', async () => {
    const who = await world.member()
    const kept = await world.store(who, randomBytes(100))
    const { storage_key } = await row(kept.file_id)
    const orphan = pathOf('o/2026/01/01/orphan-without-row-1')
    await mkdir(dirname(orphan), { recursive: true })
    await writeFile(orphan, 'x')
    await utimes(orphan, old, old)
    await utimes(pathOf(storage_key), old, old)
    await eventually('the orphan is removed', async () => !(await exists(orphan)))
    expect(await exists(pathOf(storage_key))).toBe(true)
    const young = pathOf('o/2026/01/01/young-and-not-named')
    await mkdir(dirname(young), { recursive: true })
    await writeFile(young, 'x')
    const future = new Date(Date.now() + 3_600_000)
    await utimes(young, future, future)
    const second = `${orphan}-2`
    await writeFile(second, 'x')
    await utimes(second, old, old)
    await eventually('a second orphan is removed', async () => !(await exists(second)))
    expect(await exists(young)).toBe(true)
  })

  test('and a file whose object is gone is quarantined', async () => {
    const who = await world.member()
    const { file_id } = await world.store(who, randomBytes(100))
    await rm(pathOf((await row(file_id)).storage_key))
    // Here the quarantine lasts no time, so the file is soon purged, and is then no file to a reader.
    await eventually('it is noticed', async () => (await row(file_id)).state === 'purged')
    expect((await row(file_id)).error_code).toBe('object_missing')
  })
})

test('an upload that is not completed expires, and its parts go', async () => {
  const who = await world.member()
  const bytes = randomBytes(100)
  const { body } = await world.begin(who, bytes)
  await world.send(body, bytes)
  await world.platform.kernel.db.run(sql`
    update uploads.uploads set expires_at = kernel.now() where id = ${body.id}`)
  await eventually('the upload has expired', async () => {
    const found = await world.call('GET', `/v1/uploads/${body.id}`, { token: who.token })
    return found.body.state === 'expired'
  })
  await eventually('its bytes are given back', async () => (await used(who)) === 0)
  expect(await readdir(join(world.data_dir, 'spool/parts'))).toEqual([])
  const late = await world.complete(who, body.id)
  expect([late.status, late.body.code]).toEqual([409, 'invalid_transition'])
  expect(await world.send(body, bytes)).toEqual([409])
})

test('an account that is erased takes its files along, their names at once', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin')
  const who = await world.member(admin.tenant)
  const order = { purpose: 'chat_attachment', filename: 'secret-name.bin' }
  const { file_id } = await world.store(who, randomBytes(100), order)
  const open = await world.begin(who, randomBytes(100), { filename: 'other-name.bin' })
  expect(open.status).toBe(201)
  const exported = await world.call('GET', '/v1/me/export', { token: who.token })
  expect(exported.text).toContain('secret-name.bin')
  const uploads = exported.text.split('\n').filter(line => line.includes('"kind":"upload"'))
  expect(uploads).toHaveLength(1)
  expect(uploads[0]).toContain('other-name.bin')
  expect(uploads[0]).toContain(`"id":"${open.body.id}"`)
  const gone = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: admin.token })
  expect(gone.status, gone.text).toBe(204)
  const named = () =>
    world.platform.kernel.db.one(
      Type.Object({ names: Type.Integer() }),
      sql`
        select (select count(*) from uploads.files where id = ${file_id} and filename is not null)::int
          + (select count(*) from uploads.uploads where owner_id = ${who.id}
            and filename is not null)::int as names`,
    )
  await eventually('nothing names them', async () => (await named()).names === 0)
  await eventually('the bytes are gone', async () => (await row(file_id)).state === 'purged')
})

test('the check of the doctor finds nothing after all this', async () => {
  const checks = world.platform.opened['uploads']?.checks ?? []
  const faults = async () => (await Promise.all(checks.map(check => check.run()))).flat()
  await eventually('the books agree', async () => (await faults()).length === 0)
  expect(checks).not.toEqual([])
})
