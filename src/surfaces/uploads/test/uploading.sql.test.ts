/** The whole way of a file over HTTP: begin, send parts, complete, wait, download; and what is refused. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { openUploadWorld, sha256, type UploadWorld } from './upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  // More completions than are verified at once are answered before they are verified.
  world = await openUploadWorld()
})
afterAll(() => world.close())

const MiB = 1024 * 1024

describe.concurrent('an upload', () => {
  test('of one part goes every way: begun, sent, completed, available, downloaded', async () => {
    const who = await world.member()
    const bytes = randomBytes(70_000)
    const made = await world.begin(who, bytes, { filename: 'report.bin' })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({
      id: made.body.upload_id,
      object_key: expect.stringMatching(/^o\/\d{4}\/\d\d\/\d\d\/[\w-]{23}$/),
      state: 'initiated',
      quarantined: true,
      part_count: 1,
      part_urls: null,
      upload_url: expect.stringContaining(`http://dodeca.test/_objects/u/${made.body.id}/1?exp=`),
    })
    expect(made.headers.get('location')).toBe(`/v1/uploads/${made.body.id}`)

    const body = new Uint8Array(bytes)
    const put = await world.fetch(made.body.upload_url, { method: 'PUT', body })
    expect(put.status, await put.text()).toBe(200)
    expect(put.headers.get('etag')).toBe(`"${sha256(bytes).slice(7)}"`)

    const completed = await world.complete(who, made.body.id)
    expect(completed.status, completed.text).toBe(202)
    expect(completed.body).toMatchObject({
      upload_id: made.body.id,
      status: 'processing',
      state: 'uploaded',
      quarantined: true,
      stage: 'queued',
    })
    const { file_id } = completed.body
    expect((await world.settled(who, file_id)).state).toBe('available')

    const url = await world.url(who, file_id)
    expect(url.status, url.text).toBe(200)
    expect(url.body).toMatchObject({
      method: 'GET',
      file_id,
      content_type: 'application/octet-stream',
      size: 70_000,
      filename: 'report.bin',
      checksum: sha256(bytes),
    })
    const got = await world.fetch(url.body.url)
    expect(got.status).toBe(200)
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '70000',
      'content-disposition': 'attachment; filename=report.bin',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    })
  })

  test('of several parts is sent in any order, and resumed where it stopped', async () => {
    const who = await world.member()
    const bytes = randomBytes(12 * MiB)
    const made = await world.begin(who, bytes)
    expect(made.body).toMatchObject({ part_count: 3, upload_url: null, part_size: 5 * MiB })
    expect(await world.send(made.body, bytes, [3])).toEqual([200])
    const status = await world.call('GET', `/v1/uploads/${made.body.id}`, { token: who.token })
    const expected = { received_bytes: 2 * MiB, missing_parts: [[1, 2]] }
    expect(status.body).toMatchObject({ ...expected, multipart_upload_id: expect.any(String) })

    const more = await world.call('POST', `/v1/uploads/${made.body.id}/parts`, {
      token: who.token,
      body: { remaining: true },
    })
    expect(more.status, more.text).toBe(200)
    expect(more.body.part_urls.map((one: { part_number: number }) => one.part_number)).toEqual([
      1, 2,
    ])
    const { part_urls } = more.body
    expect(await world.send({ ...made.body, part_urls }, bytes)).toEqual([200, 200])

    const early = await world.complete(who, made.body.id)
    expect([early.status, early.body.code]).toEqual([409, 'upload_parts_mismatch'])
    const parts = [1, 2, 3].map(part_number => ({ part_number }))
    const completed = await world.complete(who, made.body.id, { parts })
    expect(completed.status, completed.text).toBe(202)
    const again = await world.complete(who, made.body.id, { parts })
    expect([200, 202]).toContain(again.status)
    expect(again.body.file_id).toBe(completed.body.file_id)
  })
})

test('a creation that is repeated with its key is one upload, whose URLs are made again', async () => {
  const who = await world.member()
  const bytes = randomBytes(10)
  const key = newKey()
  const body = {
    expected_size: 10,
    media_category: 'any',
    purpose: 'generic',
    checksum: sha256(bytes),
  }
  const create = (more = {}) =>
    world.call('POST', '/v1/uploads', { token: who.token, key, body: { ...body, ...more } })
  const [first, second] = [await create(), await create()]
  expect([second.status, second.body.id]).toEqual([201, first.body.id])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await world.send(second.body, bytes)).toEqual([200])
  await world.complete(who, first.body.id)
  expect((await create()).body).toMatchObject({ upload_url: null, part_urls: null })
  expect((await create({ expected_size: 11 })).body.code).toBe('idempotency_key_reused')
})

const parts_of = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ part_number: n + 1 }))

describe.concurrent('completing', () => {
  test('names what is missing, and is repaired by sending it', async () => {
    const who = await world.member()
    const bytes = randomBytes(11 * MiB)
    const { body } = await world.begin(who, bytes)
    await world.send(body, bytes, [1, 3])
    const refused = await world.complete(who, body.id, { parts: parts_of(3) })
    expect([refused.status, refused.body.code]).toEqual([409, 'upload_parts_mismatch'])
    expect(refused.body).toMatchObject({
      missing_parts: [[2, 2]],
      quarantined: true,
      errors: [{ pointer: '/parts/1', constraint: 'missing', params: { part_number: 2 } }],
    })
    await world.send(body, bytes, [2])
    const completed = await world.complete(who, body.id, { parts: parts_of(3) })
    expect(completed.status, completed.text).toBe(202)
  })

  test('with another tag, a part twice or a part beyond the plan is refused', async () => {
    const who = await world.member()
    const bytes = randomBytes(100)
    const { body } = await world.begin(who, bytes)
    await world.send(body, bytes)
    const message = '`parts/0` has another ETag than the stored part.'
    for (const [parts, fault] of [
      [[{ part_number: 1, etag: 'other' }], { constraint: 'etag', message }],
      [[{ part_number: 1 }, { part_number: 1 }], { constraint: 'unexpected' }],
      [[{ part_number: 1 }, { part_number: 2 }], { constraint: 'missing' }],
      [[{ part_number: 1, size: 99 }], { constraint: 'size' }],
    ] as const) {
      const refused = await world.complete(who, body.id, { parts })
      expect(refused.status, refused.text).toBe(409)
      expect(refused.body.errors[0]).toMatchObject(fault)
    }
    expect((await world.complete(who, body.id, { parts: parts_of(1) })).status).toBe(202)
  })

  test('of bytes with another checksum is refused for good, and nothing can be downloaded', async () => {
    const who = await world.member()
    const bytes = randomBytes(6 * MiB)
    const { body } = await world.begin(who, bytes, { checksum: sha256(Buffer.from('other')) })
    await world.send(body, bytes)
    const refused = await world.complete(who, body.id, { parts: parts_of(2) })
    expect([refused.status, refused.body.code]).toEqual([422, 'checksum_mismatch'])
    expect(refused.body).toMatchObject({ current_state: 'quarantined', quarantined: true })
    const after = await world.call('GET', `/v1/uploads/${body.id}`, { token: who.token })
    expect(after.body).toMatchObject({ state: 'quarantined', file: null, quarantined: true })
    const again = await world.complete(who, body.id, { parts: parts_of(2) })
    expect([again.status, again.body.code]).toEqual([409, 'invalid_transition'])
  })

  test('needs a checksum where none was declared, and the declared one where it was', async () => {
    const who = await world.member()
    const bytes = randomBytes(100)
    const { body: declared } = await world.begin(who, bytes)
    const other = await world.complete(who, declared.id, { checksum: sha256(Buffer.from('x')) })
    expect([other.status, other.body.code]).toEqual([422, 'validation_failed'])
    const made = await world.call('POST', '/v1/uploads', {
      token: who.token,
      body: { expected_size: 100, media_category: 'any', purpose: 'generic' },
    })
    await world.send(made.body, bytes)
    const none = await world.complete(who, made.body.id)
    expect([none.status, none.body.errors[0].constraint]).toEqual([422, 'required'])
    const given = await world.complete(who, made.body.id, { checksum: sha256(bytes) })
    expect(given.status).toBe(202)
  })

  test('twenty times at once makes one file', async () => {
    const who = await world.member()
    const bytes = randomBytes(6 * MiB)
    const { body } = await world.begin(who, bytes)
    await world.send(body, bytes)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => world.complete(who, body.id, { parts: parts_of(2) })),
    )
    const accepted = answers.filter(one => one.status === 202)
    expect(accepted.length).toBeGreaterThan(0)
    expect(new Set(accepted.map(one => one.body.file_id)).size).toBe(1)
    for (const one of answers.filter(found => found.status !== 202 && found.status !== 200))
      expect([one.status, one.body.code]).toEqual([409, 'completion_in_progress'])
  })
})

describe.concurrent('a part', () => {
  const begun = async (bytes: Buffer, order = {}) => {
    const who = await world.member()
    const { body } = await world.begin(who, bytes, order)
    const put = (content: Uint8Array, headers = {}) =>
      world.fetch(body.upload_url, { method: 'PUT', body: new Uint8Array(content), headers })
    return { who, body, put }
  }
  const codeOf = async (answer: Response) => {
    const { code } = (await answer.json()) as { code: string }
    return [answer.status, code]
  }

  test('of another size is refused before it is read', async () => {
    const { put } = await begun(randomBytes(1000))
    expect(await codeOf(await put(randomBytes(1001)))).toEqual([413, 'content_too_large'])
    expect(await codeOf(await put(randomBytes(999)))).toEqual([422, 'part_size_mismatch'])
  })

  test('whose checksum header differs is not kept', async () => {
    const bytes = randomBytes(1000)
    const { put, who, body } = await begun(bytes)
    const wrong = { 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') }
    expect(await codeOf(await put(bytes, wrong))).toEqual([422, 'part_checksum_mismatch'])
    const bad = { 'x-amz-checksum-sha256': 'no' }
    expect(await codeOf(await put(bytes, bad))).toEqual([400, 'invalid_header'])
    const right = Buffer.from(sha256(bytes).slice(7), 'hex').toString('base64')
    const status = await world.call('GET', `/v1/uploads/${body.id}`, { token: who.token })
    expect(status.body.missing_parts).toEqual([[1, 1]])
    expect((await put(bytes, { 'x-amz-checksum-sha256': right })).status).toBe(200)
  })

  test('whose first bytes are of another category is refused', async () => {
    const program = Buffer.concat([Buffer.from('7f454c46', 'hex'), randomBytes(500)])
    expect(await codeOf(await (await begun(program)).put(program))).toEqual([
      422,
      'type_not_allowed',
    ])
    const image = { purpose: 'avatar', media_category: 'image' }
    const text = Buffer.from('no picture at all')
    expect(await codeOf(await (await begun(text, image)).put(text))).toEqual([
      422,
      'type_not_allowed',
    ])
  })

  test('is not taken by a URL that was changed, after its time, or after the end', async () => {
    const bytes = randomBytes(10)
    const { who, body, put } = await begun(bytes)
    const at = async (url: string) =>
      codeOf(await world.fetch(url, { method: 'PUT', body: new Uint8Array(bytes) }))
    for (const url of [
      body.upload_url.replace('/1?', '/2?'),
      body.upload_url.replace(/exp=\d+/, 'exp=9999999999'),
      body.upload_url.replace(/sig=.{5}/, 'sig=AAAAA'),
      body.upload_url.split('?')[0],
      body.upload_url.replace(body.id, who.id),
    ]) {
      expect(await at(url)).toEqual([403, 'signed_url_invalid'])
    }
    expect((await put(bytes)).status).toBe(200)
    const aborted = await world.call('DELETE', `/v1/uploads/${body.id}`, { token: who.token })
    expect(aborted.status).toBe(204)
    expect(await codeOf(await put(bytes))).toEqual([409, 'invalid_transition'])
    const again = await world.call('DELETE', `/v1/uploads/${body.id}`, { token: who.token })
    expect(again.status).toBe(204)
  })

  test('sent twice at once with different bytes is one of them, never a mix', async () => {
    const who = await world.member()
    const [a, b] = ['a', 'b'].map(letter => Buffer.alloc(4 * MiB, letter)) as [Buffer, Buffer]
    const { body } = await world.call('POST', '/v1/uploads', {
      token: who.token,
      body: { expected_size: a.length, media_category: 'any', purpose: 'generic' },
    })
    await Promise.all([a, b, a, b].map(bytes => world.send(body, bytes)))
    const { body: known } = await world.call('POST', `/v1/uploads/${body.id}/parts`, {
      token: who.token,
      body: {},
    })
    const kept = [a, b].find(bytes => `"${sha256(bytes).slice(7)}"` === known.parts[0].etag)
    expect(kept).toBeDefined()
    const completed = await world.complete(who, body.id, {
      checksum: sha256(kept ?? Buffer.alloc(0)),
    })
    expect(completed.status, completed.text).toBe(202)
  })
})
