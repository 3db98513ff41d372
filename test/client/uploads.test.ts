/** Files by the client: sent in parts, continued, and refused with a code. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { createClient, UploadFailed, type UploadProgress } from '../../client/src/index.ts'
import { openProductWorld } from '../product-world.ts'
import { openProxy } from './proxy.ts'

const MiB = 1024 * 1024
const port = await freePort()
const world = await openProductWorld({
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  UPLOADS_PART_BYTES: String(5 * MiB),
})
afterAll(() => world.close())

async function client() {
  const { token } = await world.member()
  return createClient({ base_url: world.url, token })
}

describe('an upload of the client', () => {
  test('sends all parts, reports progress, and ends with a file to download', async () => {
    const api = await client()
    const bytes = randomBytes(11 * MiB)
    const seen: UploadProgress[] = []
    const file = await api.uploads.put(new Blob([bytes]), {
      filename: 'noise.bin',
      onProgress: one => seen.push(one),
    })
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(file).toMatchObject({ state: 'available', checksum: `sha256:${digest}` })
    const sent = seen.map(one => one.sent_bytes)
    expect(sent).toEqual(sent.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toMatchObject({ state: 'available', sent_bytes: bytes.length })
    const params = { path: { file_id: file.id } }
    const { data } = await api.GET('/v1/files/{file_id}/download-url', { params })
    const stored = Buffer.from(await (await fetch(data.url)).arrayBuffer())
    expect(stored.equals(bytes)).toBe(true)
  })

  test('goes on where it was interrupted', async () => {
    const api = await client()
    const file = new Blob([randomBytes(11 * MiB)])
    const stop = new AbortController()
    let upload_id = ''
    const onProgress = (one: UploadProgress) => {
      upload_id = one.upload_id
      stop.abort(new Error('the tab was closed'))
    }
    const options = { onProgress, signal: stop.signal, parts_at_once: 1 }
    await expect(api.uploads.put(file, options)).rejects.toThrow('the tab was closed')
    const again: number[] = []
    const stored = await api.uploads.put(file, {
      resume: upload_id,
      onProgress: ({ sent_bytes }) => again.push(sent_bytes),
    })
    expect(stored.state).toBe('available')
    // The first part was there already.
    expect(again[0]).toBeGreaterThan(5 * MiB)
  })

  test('sends no further part after one has failed', async () => {
    const { token } = await world.member()
    const proxy = await openProxy(world.url)
    const api = createClient({ base_url: proxy.url, token })
    const bytes = new Blob([randomBytes(36 * MiB)])
    let upload_id = ''
    const failed = api.uploads.put(bytes, {
      parts_at_once: 2,
      onProgress: one => {
        if (upload_id === '') proxy.trouble.push({ status: 403, code: 'permission_denied' })
        upload_id = one.upload_id
      },
    })
    await expect(failed).rejects.toThrow('From the proxy')
    // The other parts had arrived by the end of this.
    await api.uploads.put(new Blob([randomBytes(26 * MiB)]), { parts_at_once: 1 })
    const params = { path: { upload_id } }
    const { data } = await api.GET('/v1/uploads/{upload_id}', { params })
    expect(data.received_bytes).toBeLessThan(20 * MiB)
    await proxy.close()
  })

  test('that the platform refuses says why', async () => {
    const api = await client()
    const program = new Blob(['MZ', new Uint8Array(200), 'PE\0\0'])
    const refused = await api.uploads.put(program, { media_category: 'image' }).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(UploadFailed)
    expect((refused as UploadFailed).code).toMatch(/^type_(mismatch|not_allowed)$/)
  })
})
