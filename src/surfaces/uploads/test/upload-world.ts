/** The product with what tests of uploads do: begin, send parts, complete, wait, download. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { eventually, type Answer } from '../../../../test/world.ts'

export const sha256 = (bytes: Uint8Array) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export type Order = {
  readonly purpose?: string
  readonly media_category?: string
  readonly claimed_type?: string
  readonly filename?: string
  readonly checksum?: string
  readonly expected_size?: number
}

export type UploadWorld = Omit<ProductWorld, 'url'> & {
  /** Of the server. */
  readonly base_url: string
  /** Begins an upload of these bytes. */
  begin(who: Member, bytes: Buffer, order?: Order): Promise<Answer>
  /** Sends parts, all of them or those named; answers their statuses. */
  send(made: Begun, bytes: Buffer, numbers?: readonly number[]): Promise<number[]>
  complete(who: Member, id: string, body?: object): Promise<Answer>
  /** The whole way until the file has left `uploaded`. */
  store(who: Member, bytes: Buffer, order?: Order): Promise<Stored>
  file(who: Member, file_id: string): Promise<Answer>
  /** The file once it has left `uploaded`. */
  /** Of a large upload, the completion is answered before its bytes are verified. */
  verified(who: Member, upload_id: string): Promise<string>
  settled(who: Member, file_id: string): Promise<Answer['body']>
  url(who: Member, file_id: string, query?: string): Promise<Answer>
  /** PUT or GET of a URL that was signed, here. */
  fetch(url: string, init?: RequestInit): Promise<Response>
}

export type Begun = {
  readonly id: string
  readonly part_size: number
  readonly part_count: number
  readonly upload_url: string | null
  readonly part_urls: readonly { part_number: number; url: string }[] | null
}
export type Stored = {
  readonly upload_id: string
  readonly file_id: string
  readonly state: string
  readonly file: Answer['body']
}

const origin = 'http://dodeca.test'

export async function openUploadWorld(settings?: Record<string, string>): Promise<UploadWorld> {
  const world = await openProductWorld(settings)
  const here = (url: string) => url.replace(origin, world.url)
  const ask = (method: string, path: string, { token }: Member, body?: unknown) =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }) })
  const begin: UploadWorld['begin'] = (who, bytes, order = {}) =>
    ask('POST', '/v1/uploads', who, {
      expected_size: bytes.length,
      media_category: 'any',
      purpose: 'generic',
      checksum: sha256(bytes),
      ...order,
    })
  const send: UploadWorld['send'] = async (made, bytes, numbers) => {
    const urls = made.part_urls ?? [{ part_number: 1, url: made.upload_url ?? '' }]
    const wanted = urls.filter(one => numbers?.includes(one.part_number) ?? true)
    return await Promise.all(
      wanted.map(async ({ part_number, url }) => {
        const from = (part_number - 1) * made.part_size
        const body = new Uint8Array(bytes.subarray(from, from + made.part_size))
        const answer = await fetch(here(url), { method: 'PUT', body })
        await answer.arrayBuffer()
        return answer.status
      }),
    )
  }
  const complete: UploadWorld['complete'] = (who, id, body = {}) =>
    ask('POST', `/v1/uploads/${id}/complete`, who, body)
  const file: UploadWorld['file'] = (who, id) => ask('GET', `/v1/files/${id}`, who)
  const settled = (who: Member, id: string) =>
    eventually('the file is processed', async () => {
      const { status, body } = await file(who, id)
      return status === 200 && body.state !== 'uploaded' && body
    })
  const verified = (who: Member, upload_id: string) =>
    eventually('the upload is verified', async () => {
      const { body } = await ask('GET', `/v1/uploads/${upload_id}`, who)
      return body.file?.id as string | undefined
    })
  return {
    ...world,
    base_url: world.url,
    begin,
    send,
    complete,
    file,
    verified,
    settled,
    url: (who, id, query = '') => ask('GET', `/v1/files/${id}/download-url${query}`, who),
    fetch: (url, init) => fetch(here(url), { redirect: 'manual', ...init }),
    store: async (who, bytes, order) => {
      const made = await begin(who, bytes, order)
      expect(made.status, made.text).toBe(201)
      const statuses = await send(made.body, bytes)
      expect(statuses.every(status => status === 200)).toBe(true)
      const parts = Array.from({ length: made.body.part_count }, (_, n) => ({ part_number: n + 1 }))
      const completed = await complete(who, made.body.id, { parts })
      expect(completed.status, completed.text).toBe(202)
      const upload_id = made.body.id
      const file_id = await verified(who, upload_id)
      const found = await settled(who, file_id)
      return { upload_id, file_id, state: found.state, file: found }
    },
  }
}
