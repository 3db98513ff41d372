/** Completions that are corrected and sent again. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openUploadWorld } from '../../test/upload-world.ts'

const world = await openUploadWorld()
afterAll(() => world.close())

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

test('a completion that is refused before anything is verified binds no checksum', async () => {
  const who = await world.member()
  const bytes = randomBytes(100)
  const { body } = await world.call('POST', '/v1/uploads', {
    token: who.token,
    body: { expected_size: 100, media_category: 'any', purpose: 'generic' },
  })
  const wrong = sha256(Buffer.from('other'))
  const early = await world.complete(who, body.id, { checksum: wrong })
  expect([early.status, early.body.code]).toEqual([409, 'upload_parts_mismatch'])
  await world.send(body, bytes)
  const given = await world.complete(who, body.id, { checksum: sha256(bytes) })
  expect(given.status, given.text).toBe(202)
})

test('a type with parameters and a checksum in capitals are accepted', async () => {
  const who = await world.member()
  const bytes = Buffer.from('a,b\n1,2\n')
  const checksum = `sha256:${sha256(bytes).slice(7).toUpperCase()}`
  const order = { media_category: 'text', claimed_type: 'text/csv; charset=utf-8' }
  const { body } = await world.begin(who, bytes, { ...order, checksum })
  await world.send(body, bytes)
  const parts = [{ part_number: 1, checksum }]
  const { status, body: completed } = await world.complete(who, body.id, { parts })
  expect(status).toBe(202)
  const file = await world.settled(who, completed.file_id)
  expect(file).toMatchObject({ detected_type: 'text/csv', claimed_type: 'text/csv' })
  expect(file.checksum).toBe(sha256(bytes))
  // Nothing but the built-in checks has looked at it.
  expect(file.scan_result).toMatchObject({ verdict: 'not_scanned', findings: [] })
})

test('a mistyped checksum is corrected', async () => {
  const who = await world.member()
  for (const size of [100, 6 * 1024 * 1024]) {
    const bytes = randomBytes(size)
    const order = { expected_size: size, media_category: 'any', purpose: 'generic' }
    const { body } = await world.call('POST', '/v1/uploads', { token: who.token, body: order })
    expect(new Set(await world.send(body, bytes))).toEqual(new Set([200]))
    const parts = Array.from({ length: body.part_count }, (_, n) => ({ part_number: n + 1 }))
    const complete = (checksum: string) => world.complete(who, body.id, { parts, checksum })
    const refused = await complete(sha256(Buffer.from('other')))
    expect([refused.status, refused.body.code]).toEqual([422, 'checksum_mismatch'])
    expect(refused.body).toMatchObject({ current_state: 'initiated', quarantined: true })
    const given = await complete(sha256(bytes))
    expect(given.status, given.text).toBe(202)
    const { file_id } = given.body
    expect(await world.settled(who, file_id)).toMatchObject({ checksum: sha256(bytes) })
    const { body: upload } = await world.call('GET', `/v1/uploads/${body.id}`, who)
    expect(upload).toMatchObject({ state: 'available', expected_checksum: sha256(bytes) })
  }
})

test('a mistyped checksum is corrected after it was verified in the background', async () => {
  const who = await world.member()
  const bytes = randomBytes(100)
  const order = { expected_size: 100, media_category: 'any', purpose: 'generic' }
  const { body } = await world.call('POST', '/v1/uploads', { token: who.token, body: order })
  await world.send(body, bytes)
  // As a completion leaves the row that is killed right after it took the lease.
  await world.platform.kernel.db.run(sql`
    update uploads.uploads
    set due_at = kernel.now(), lease_token = id, leased_until = now() - interval '1 second',
      given_checksum = sha256('other')
    where tenant_id = ${who.tenant.id} and id = ${body.id}`)
  const found = await eventually('it was verified', async () => {
    const { body: upload } = await world.call('GET', `/v1/uploads/${body.id}`, who)
    return upload.stage !== 'verifying' && upload
  })
  expect(found).toMatchObject({
    state: 'initiated',
    expected_checksum: null,
    error_code: 'checksum_mismatch',
  })
  expect((await world.complete(who, body.id, { checksum: sha256(bytes) })).status).toBe(202)
})

test('a process that ends before it has compared the parts leaves the upload open', async () => {
  const who = await world.member()
  const bytes = randomBytes(6 * 1024 * 1024)
  const { body } = await world.begin(who, bytes)
  await world.send(body, bytes, [1])
  // As a completion leaves the row that is killed right after it took the lease.
  await world.platform.kernel.db.run(sql`
    update uploads.uploads
    set due_at = kernel.now(), lease_token = id, leased_until = now() - interval '1 second'
    where tenant_id = ${who.tenant.id} and id = ${body.id}`)
  const { token } = who
  const found = await eventually('another process has looked', async () => {
    const { body: upload } = await world.call('GET', `/v1/uploads/${body.id}`, { token })
    return upload.stage !== 'verifying' && upload
  })
  expect(found).toMatchObject({
    state: 'initiated',
    missing_parts: [[2, 2]],
    error_code: 'upload_parts_mismatch',
  })
  await world.send(body, bytes, [2])
  const parts = [{ part_number: 1 }, { part_number: 2 }]
  expect((await world.complete(who, body.id, { parts })).status).toBe(202)
})

test('an upload whose file is deleted before it is available is aborted', async () => {
  const who = await world.member()
  const { upload_id, file_id } = await world.store(who, randomBytes(100))
  // As while the file is processed.
  for (const table of [sql`uploads.uploads u`, sql`uploads.files u`]) {
    await world.platform.kernel.db.run(sql`
      update ${table} set state = 'uploaded'
      where u.tenant_id = ${who.tenant.id} and u.id in (${upload_id}, ${file_id})`)
  }
  const { token } = who
  expect((await world.call('DELETE', `/v1/files/${file_id}`, { token })).status).toBe(204)
  const found = await world.call('GET', `/v1/uploads/${upload_id}`, { token })
  expect(found.body).toMatchObject({ state: 'aborted', file: { state: 'deleted' } })
  const again = await world.complete(who, upload_id)
  expect([again.status, again.body.code]).toEqual([409, 'invalid_transition'])
})

test('an upload that became available stays so; its file says that it was deleted', async () => {
  const who = await world.member()
  const { upload_id, file_id } = await world.store(who, randomBytes(100))
  const { token } = who
  expect((await world.call('DELETE', `/v1/files/${file_id}`, { token })).status).toBe(204)
  const found = await world.call('GET', `/v1/uploads/${upload_id}`, { token })
  expect(found.body).toMatchObject({ state: 'available', file: { state: 'deleted' } })
  expect((await world.complete(who, upload_id)).status).toBe(200)
})
