/**
 * An edge cache gets a purge for every change of a link until it has accepted it, in one of two
 * ways.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

type Heard = { readonly request: IncomingMessage; readonly body: string }

/** An edge that refuses the first `refusals` times. */
async function openEdge(refusals: number) {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void text(request).then(body => {
      heard.push({ request, body })
      response.writeHead(heard.length <= refusals ? 503 : 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server[Symbol.asyncDispose]())
  const { port } = server.address() as AddressInfo
  return { heard, url: `http://127.0.0.1:${port}/in` }
}

async function changeOne(world: LinkWorld): Promise<string> {
  const owner = await world.member()
  const { code } = (await world.shorten(owner, {})).body
  const body = { destination_url: 'https://www.example.com/new' }
  await world.call('PATCH', `/v1/links/${code}`, { token: owner.token, body })
  return code
}

test('by PURGE, again until it has taken it', async () => {
  const { heard, url } = await openEdge(1)
  const world = await openLinkWorld({ LINKS_PURGE: 'purge', LINKS_PURGE_URL: url })
  onTestFinished(() => world.close())
  const code = await changeOne(world)
  const { db } = world.platform.kernel
  await eventually('the edge was asked', () => heard.length === 1)
  await eventually('it is sent again', async () => {
    await db.run(sql`update links.edge_purges set due_at = now() where attempts > 0`)
    return heard.length === 2
  })
  for (const { request } of heard) {
    expect([request.method, request.url]).toEqual(['PURGE', `/${code}`])
    expect(request.headers).toMatchObject({
      'x-forwarded-host': 'dodeca.test',
      'surrogate-key': expect.stringMatching(/^link-[0-9a-f-]{36}$/),
    })
  }
  await eventually('nothing is left to send', async () => {
    return (await db.run(sql`select 1 from links.edge_purges`)) === 0
  })
})

test('of a whole domain, when it is given up', async () => {
  const { heard, url } = await openEdge(0)
  const world = await openLinkWorld({ LINKS_PURGE: 'purge', LINKS_PURGE_URL: url })
  onTestFinished(() => world.close())
  const owner = await world.member()
  const { body } = await world.call('POST', '/v1/domains', {
    token: owner.token,
    body: { hostname: 'go.acme.test' },
  })
  await world.call('DELETE', `/v1/domains/${body.id}`, { token: owner.token })
  await eventually('the edge got the purge', () => heard.length === 1)
  const [one] = heard
  expect([one?.request.method, one?.request.url]).toEqual(['PURGE', '/'])
  expect(one?.request.headers).toMatchObject({
    'x-forwarded-host': 'go.acme.test',
    'surrogate-key': `domain-${body.id}`,
  })
})

test('by a message', async () => {
  const { heard, url } = await openEdge(0)
  const world = await openLinkWorld({ LINKS_PURGE: 'webhook', LINKS_PURGE_URL: url })
  onTestFinished(() => world.close())
  const code = await changeOne(world)
  await eventually('the edge got the purge', () => heard.length === 1)
  const [{ request, body } = { request: null, body: '' }] = heard
  expect([request?.method, request?.url]).toEqual(['POST', '/in'])
  expect(JSON.parse(body)).toMatchObject({ host: 'dodeca.test', path: `/${code}` })
})
