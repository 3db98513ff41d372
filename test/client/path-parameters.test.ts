/** A request whose address lacks a value is not sent. The error says which, and what else is wrong. */
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../client/src/index.ts'

let base_url: string
const asked: (string | undefined)[] = []
const server = createServer((request, response) => {
  asked.push(request.url)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(request.url === '/v1/me' ? '<html>' : '{}')
})
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base_url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => void server.close())

test.each([
  ['no value', {}, 'It got nothing.'],
  ['another name', { id: 'a' }, 'It got id.'],
  ['an empty value', { job_id: '' }, 'It got job_id.'],
  ['an absent value', { job_id: undefined }, 'It got job_id.'],
])('%s', async (_, path, got) => {
  const api = createClient({ base_url, retries: 0 })
  const call = api.GET('/v1/jobs/{job_id}', { params: { path } } as never)
  await expect(call).rejects.toThrow(`GET /v1/jobs/{job_id} needs params.path.job_id. ${got}`)
  expect(asked).toEqual([])
})

test('a request with its values is sent', async () => {
  const api = createClient({ base_url, retries: 0 })
  await api.GET('/v1/jobs/{job_id}', { params: { path: { job_id: 'a/b' } } })
  expect(asked).toEqual(['/v1/jobs/a%2Fb'])
})

test('an answer that is not JSON is named', async () => {
  const api = createClient({ base_url, retries: 0 })
  const message = `GET /v1/me was answered with something else than JSON. Is ${base_url} the address`
  await expect(api.GET('/v1/me')).rejects.toThrow(message)
})

test('a text is no file', async () => {
  const api = createClient({ base_url, retries: 0 })
  await expect(api.uploads.put('a text' as never)).rejects.toThrow('new Blob([text])')
})
