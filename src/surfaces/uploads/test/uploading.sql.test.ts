/** The whole way of a file over HTTP: begin, send parts, complete, wait, download; and what is refused. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openUploadWorld, sha256, type UploadWorld } from './upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
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

    const put = await world.fetch(made.body.upload_url, {
      method: 'PUT',
      body: new Uint8Array(bytes),
    })
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
      'content-disposition': 'attachment; filename="report.bin"',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    })
  })

  test('of several parts is sent in any order, and resumed where it stopped', async () => {
    const who = await world.member()
    const bytes = randomBytes(12 * MiB)
    const made = await world.begin(who, bytes)
    expect(made.body).toMatchObject({ part_count: 3, upload_url: null, part_size: 5 * MiB })
    expect(await world.send(made.body, bytes, [3])).toEqual([200])
    const status = await world.call('GET', `/v1/uploads/${made.body.id}`, { token: who.token })
    expect(status.body).toMatchObject({ received_bytes: 2 * MiB, missing_parts: [[1, 2]] })

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
