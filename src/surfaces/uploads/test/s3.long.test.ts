/**
 * The same uploads with the S3 engine, on Debian's Swift: the client sends its parts to the store, and two
 * nodes that share nothing but the database and the bucket serve each other's files.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { startSwift, swiftIsInstalled, type Swift } from '../../../../test/swift.ts'
import { call, eventually } from '../../../../test/world.ts'
import { composition } from '../../../platform.ts'
import { start } from '../../../runtime/start.ts'
import { loadConfig } from '../../../settings.ts'
import type { Inside } from '../face.ts'
import { picture } from '../processing/test/samples.ts'
import { openUploadWorld, sha256, type UploadWorld } from './upload-world.ts'

const MiB = 1024 * 1024

describe.skipIf(!swiftIsInstalled)('with the S3 engine', () => {
  let swift: Swift
  let world: UploadWorld
  beforeAll(async () => {
    swift = await startSwift()
    world = await openUploadWorld({
      ...(await swift.bucket('uploads')),
      // Nodes share their keys, and the bucket; nothing else.
      KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
      KERNEL_PEPPER: randomBytes(32).toString('base64'),
    })
  })
  afterAll(async () => {
    await world.close()
    await swift.close()
  })

  test.concurrent(
    'a file of several parts goes the whole way; its download is a redirect',
    async () => {
      const who = await world.member()
      const bytes = randomBytes(6 * MiB)
      const made = await world.begin(who, bytes, { filename: 'a.bin' })
      expect(made.body.part_urls[0].url).toContain(swift.endpoint)
      expect(await world.send(made.body, bytes, [2])).toEqual([200])
      const status = await world.call('GET', `/v1/uploads/${made.body.id}`, { token: who.token })
      expect(status.body).toMatchObject({ missing_parts: [[1, 1]], received_bytes: MiB })
      await world.send(made.body, bytes, [1])
      const parts = [{ part_number: 1 }, { part_number: 2 }]
      const completed = await world.complete(who, made.body.id, { parts })
      expect(completed.status, completed.text).toBe(202)
      const file = await world.settled(who, await world.verified(who, made.body.id))
      expect(file.state).toBe('available')
      const { url } = (await world.url(who, file.id)).body
      expect(url).toContain('http://dodeca.test/_objects/d/')
      const redirect = await world.fetch(url)
      expect(redirect.status).toBe(307)
      const direct = await fetch(redirect.headers.get('location') ?? '')
      expect(direct.headers.get('content-disposition')).toBe('attachment; filename=a.bin')
      expect(sha256(Buffer.from(await direct.arrayBuffer()))).toBe(sha256(bytes))
      const range = await fetch(redirect.headers.get('location') ?? '', {
        headers: { range: 'bytes=2-4' },
      })
      expect([range.status, Buffer.from(await range.arrayBuffer())]).toEqual([
        206,
        bytes.subarray(2, 5),
      ])
      await world.call('DELETE', `/v1/files/${file.id}`, { token: who.token })
      expect((await world.fetch(url)).status).toBe(404)
    },
  )

  test.concurrent('twenty completions at once make one file', async () => {
    const who = await world.member()
    const bytes = randomBytes(1000)
    const { body } = await world.begin(who, bytes)
    await world.send(body, bytes)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => world.complete(who, body.id)),
    )
    const accepted = answers.filter(one => one.status === 202 && one.body.file_id)
    expect(new Set(accepted.map(one => one.body.file_id)).size).toBe(1)
    expect(answers.every(one => [200, 202, 409].includes(one.status))).toBe(true)
  })

  test.concurrent('bytes with another checksum end in quarantine', async () => {
    const who = await world.member()
    const bytes = randomBytes(1000)
    const { body } = await world.begin(who, bytes, { checksum: sha256(Buffer.from('x')) })
    await world.send(body, bytes)
    const refused = await world.complete(who, body.id)
    expect([refused.status, refused.body.code]).toEqual([422, 'checksum_mismatch'])
  })

  test.concurrent('after an abort the URL of a part is dead at the store', async () => {
    const who = await world.member()
    const bytes = randomBytes(1000)
    const { body } = await world.begin(who, bytes)
    await world.call('DELETE', `/v1/uploads/${body.id}`, { token: who.token })
    const status = await eventually('the store refuses the part', async () => {
      const [found] = await world.send(body, bytes)
      return found !== 200 && found
    })
    expect(status).toBe(404)
  })

  test('another bucket, or one that does not exist, proves no loss', async () => {
    const who = await world.member()
    const { file_id } = await world.store(who, randomBytes(100))
    await swift.bucket('empty')
    for (const bucket of ['empty', 'of-nobody']) {
      const settings = { ...world.environment, KERNEL_OBJECTS_S3_BUCKET: bucket, ROLES: 'api' }
      const other = await start(loadConfig({}, settings), () => {}, composition)
      const face = other.platform.opened['uploads']?.face as Inside
      const { signal } = new AbortController()
      await expect(face.operator.reconcile({ remove: true, signal })).rejects.toMatchObject({
        name: 'ForeignStore',
        message: expect.stringContaining(`bucket ${bucket}`),
      })
      await other.stop()
    }
    expect((await world.file(who, file_id)).body.state).toBe('available')
  })

  test('what one node stored, another with a folder of its own serves', async () => {
    const who = await world.member()
    const bytes = await picture(200, 100)
    const order = { purpose: 'avatar', media_category: 'image' }
    const { file_id, state } = await world.store(who, bytes, order)
    expect(state).toBe('available')
    const elsewhere = await mkdtemp(join(tmpdir(), 'dodeca-node-b-'))
    const other = await startProcess(
      { ...world.environment, PORT: '0', UPLOADS_S3_REDIRECTS: 'false', DATA_DIR: elsewhere },
      'product',
    )
    try {
      const path = `/v1/files/${file_id}/download-url?derivative=thumbnail`
      const { body } = await call(other.url, 'GET', path, { token: who.token })
      const answer = await fetch(body.url.replace('http://dodeca.test', other.url))
      expect(answer.status).toBe(200)
      expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(body.checksum)
    } finally {
      await other.kill()
      await rm(elsewhere, { recursive: true, force: true })
    }
  })
})
