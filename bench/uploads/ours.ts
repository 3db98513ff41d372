/** The platform as the client of the comparison speaks to it. */
import type { Program } from '../ground/program.ts'
import { send } from './client.ts'

export type Ours = Awaited<ReturnType<typeof openOurs>>

type Begun = {
  readonly id: string
  readonly upload_url: string
  readonly part_urls: readonly { readonly url: string }[]
}

export async function openOurs({ port }: Program) {
  const base = `http://127.0.0.1:${port}`
  const json = { 'content-type': 'application/json' }
  const who = { email: 'bench@example.test', password: 'correct horse battery staple' }
  await send('POST', `${base}/v1/accounts`, { headers: json, body: JSON.stringify(who) })
  const session = await send('POST', `${base}/v1/sessions`, {
    headers: json,
    body: JSON.stringify(who),
  })
  let token = (JSON.parse(session.body) as { access_token: string }).access_token
  const api = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? json : {}) }
    const answer = await send(method, base + path, {
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (answer.status === 401) {
      const again = await send('POST', `${base}/v1/sessions`, {
        headers: json,
        body: JSON.stringify(who),
      })
      token = (JSON.parse(again.body) as { access_token: string }).access_token
      return await api<T>(method, path, body)
    }
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.body}`)
    return (answer.body ? JSON.parse(answer.body) : null) as T
  }
  const begin = (size: number, checksum: string) =>
    api<Begun>('POST', '/v1/uploads', {
      expected_size: size,
      media_category: 'any',
      purpose: 'generic',
      checksum: `sha256:${checksum}`,
    })
  const here = (address: string) => address.replace('http://dodeca.test', base)
  const complete = (id: string, count: number) =>
    api<{ file_id: string | null }>('POST', `/v1/uploads/${id}/complete`, {
      parts: Array.from({ length: count }, (_, n) => ({ part_number: n + 1 })),
    })
  const remaining = async (id: string) =>
    (await api<Begun>('POST', `/v1/uploads/${id}/parts`, { remaining: true })).part_urls
  const abort = (id: string) => api<null>('DELETE', `/v1/uploads/${id}`)
  return { api, begin, complete, remaining, abort, here }
}
