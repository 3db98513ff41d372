/** A server that a user has chosen is connected to only at addresses that the rules allow. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAddressRules } from '../allowed-addresses.ts'
import { openUpstream, UpstreamFailure } from '../upstream.ts'

let server: Server
let port = 0
const heard: string[] = []
beforeAll(async () => {
  server = createServer((request, response) => {
    heard.push(request.headers.host ?? '')
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => server.close())

async function call(allow: readonly string[]): Promise<number> {
  const upstream = openUpstream({
    name: 'chosen',
    base_url: `http://localhost:${port}`,
    addresses: openAddressRules({ ports: [443], allow }),
  })
  try {
    const asked = { method: 'GET', path: '/', idempotent: false, deadline_ms: 5000 }
    return (await upstream.call(asked)).status
  } finally {
    await upstream.close()
  }
}

test('a name that leads to an address of this network gets no packet', async () => {
  const failure = await call([]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UpstreamFailure)
  expect(failure).toMatchObject({ reason: 'connect', ambiguous: false })
  expect(heard).toEqual([])
})

test('an address that the operator has listed is reached', async () => {
  expect(await call([`127.0.0.1:${port}`])).toBe(200)
  expect(heard).toEqual([`localhost:${port}`])
})
