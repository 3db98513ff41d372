/** Connectors and fetched documents: what is reached, and what a source that fails does not delete. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ended, openRetrievalWorld, type Reader, type RetrievalWorld } from './retrieval-world.ts'

type Site = {
  pages: Map<string, string>
  status: number
  requests: string[]
  /** What is sent as ETag or Last-Modified, by path. */
  versions: Map<string, string>
  /** Called before a page is sent. */
  before(path: string): Promise<unknown>
}
const site: Site = {
  pages: new Map(),
  status: 200,
  requests: [],
  versions: new Map(),
  before: () => Promise.resolve(),
}
/** Outside the platform's allowance. */
const canary = { connections: 0 }
const server = createServer((request, response) => {
  void site.before(request.url ?? '').then(() => answer(request, response))
})
function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? ''
  site.requests.push(path)
  const body = site.pages.get(path)
  const found = body === undefined ? 404 : 200
  response.statusCode = site.status === 200 ? found : site.status
  if (path === '/moved') {
    response.writeHead(302, { location: `http://127.0.0.1:${canaryPort()}/secret` }).end()
    return
  }
  const version = site.versions.get(path)
  if (version !== undefined) {
    const [sent, asked] = version.startsWith('"')
      ? ['etag', 'if-none-match']
      : ['last-modified', 'if-modified-since']
    response.setHeader(sent, version)
    if (request.headers[asked] === version && response.statusCode === 200) {
      site.requests.push(`304 ${path}`)
      response.writeHead(304).end()
      return
    }
  }
  response.setHeader('content-type', path.endsWith('.txt') ? 'text/plain' : 'text/html')
  response.end(body ?? '')
}
const guarded = createServer((_request, response) => response.end('secret'))
guarded.on('connection', () => canary.connections++)
const portOf = (one: typeof server) => (one.address() as AddressInfo).port
const canaryPort = () => portOf(guarded)

let world: RetrievalWorld
let home: string
beforeAll(async () => {
  for (const one of [server, guarded]) {
    await new Promise<void>(resolve => one.listen(0, '127.0.0.1', resolve))
  }
  home = `http://127.0.0.1:${portOf(server)}`
  world = await openRetrievalWorld({
    RETRIEVAL_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${portOf(server)}`,
    RETRIEVAL_ALLOWED_PORTS: `80,443,${portOf(server)}`,
  })
})
afterAll(async () => {
  await world.close()
  server.close()
  guarded.close()
})

const page = (text: string, ...links: string[]) =>
  `<html><body><article><p>${text}</p>${links.map(one => `<a href="${one}">${one}</a>`).join(' ')}</article></body></html>`

async function connected(ada: Reader, more: object = {}) {
  const id = await ada.collection()
  const { id: connector_id, job_id } = await ada.does('POST', `/v1/collections/${id}/connectors`, {
    kind: 'web',
    config: { urls: [`${home}/docs/`], depth: 2 },
    ...more,
  })
  return { id, connector_id, job: await ended(ada.job, job_id) }
}

const documents = async (ada: Reader, id: string): Promise<string[]> => {
  const { data } = await ada.does('GET', `/v1/collections/${id}/documents?limit=100`)
  return data.map((one: { source_uri: string }) => one.source_uri.replace(home, ''))
}

async function resync(ada: Reader, connector_id: string, body: object = {}) {
  const { id } = await ada.does('POST', `/v1/connectors/${connector_id}/sync`, body)
  return await ended(ada.job, id)
}

test('a web connector follows links below its pages, as robots.txt allows, and deletes what is gone', async () => {
  const ada = await world.reader()
  site.pages = new Map([
    ['/robots.txt', 'User-agent: *\nDisallow: /docs/private'],
    [
      '/docs/',
      page('Start.', 'one', 'private', '/other/', `http://127.0.0.1:${canaryPort()}/docs/`),
    ],
    ['/docs/one', page('The heron nests in spring.', 'two')],
    ['/docs/two', page('The stork nests in summer.')],
    ['/docs/private', page('This page is private.')],
    ['/other/', page('Another folder.')],
  ])
  const { id, connector_id, job } = await connected(ada)
  expect(job).toMatchObject({ state: 'succeeded', result: { listed: 3, complete: true } })
  expect(new Set(await documents(ada, id))).toEqual(new Set(['/docs/', '/docs/one', '/docs/two']))
  expect(canary.connections).toBe(0)
  site.pages.set('/docs/one', page('The heron nests in spring.'))
  site.pages.delete('/docs/two')
  const next = await resync(ada, connector_id)
  expect(next.result).toMatchObject({ listed: 2, deleted: 1, changed: 1 })
  expect(new Set(await documents(ada, id))).toEqual(new Set(['/docs/', '/docs/one']))
  // An outage deletes nothing, and neither does an empty listing.
  site.status = 503
  const unreachable = await resync(ada, connector_id)
  expect(unreachable).toMatchObject({ status: 'failed', error_code: 'fetch_failed' })
  site.status = 404
  expect((await resync(ada, connector_id)).result).toMatchObject({ listed: 0, deleted: 0 })
  site.status = 200
  expect(await documents(ada, id)).toHaveLength(2)
})

test('a page that the server calls unchanged is not fetched again, and its links are followed', async () => {
  const ada = await world.reader()
  site.pages = new Map([
    ['/docs/', page('Start.', 'one')],
    ['/docs/one', page('The heron nests in spring.', 'two')],
    ['/docs/two', page('The stork nests in summer.')],
  ])
  site.versions = new Map([
    ['/docs/', '"start-1"'],
    ['/docs/one', 'Wed, 21 Oct 2026 07:28:00 GMT'],
  ])
  const { id, connector_id } = await connected(ada)
  const resynced = async () => {
    site.requests.length = 0
    const { result } = await resync(ada, connector_id)
    return { result, unchanged: site.requests.filter(one => one.startsWith('304')) }
  }
  expect(await resynced()).toEqual({
    result: { listed: 3, complete: true, changed: 0, deleted: 0 },
    unchanged: ['304 /docs/', '304 /docs/one'],
  })
  site.pages.set('/docs/', page('Another start.', 'one'))
  site.versions.set('/docs/', '"start-2"')
  expect(await resynced()).toEqual({
    result: { listed: 3, complete: true, changed: 1, deleted: 0 },
    unchanged: ['304 /docs/one'],
  })
  expect(await documents(ada, id)).toHaveLength(3)
  site.versions = new Map()
})

test('a run that would delete most documents pauses the connector until it is confirmed', async () => {
  const ada = await world.reader()
  const names = Array.from({ length: 25 }, (_, n) => `p${n}`)
  site.pages = new Map(names.map(one => [`/docs/${one}`, page(`Page ${one}.`)]))
  site.pages.set('/docs/', page('Start.', ...names))
  const { id, connector_id } = await connected(ada)
  expect(await documents(ada, id)).toHaveLength(26)
  site.pages = new Map([['/docs/', page('Start.')]])
  const stopped = await resync(ada, connector_id)
  expect(stopped.error_code).toBe('connector_mass_delete_suspected')
  expect(await ada.does('GET', `/v1/connectors/${connector_id}`)).toMatchObject({
    state: 'paused',
    error_code: 'connector_mass_delete_suspected',
  })
  expect(await documents(ada, id)).toHaveLength(26)
  const confirmed = await resync(ada, connector_id, { confirm_deletions: true })
  expect(confirmed.result).toMatchObject({ deleted: 25 })
  expect(await documents(ada, id)).toEqual(['/docs/'])
})

test.for(['connector_deleted', 'owner_lost_access'])(
  'a sync adds nothing more after %s',
  async reason => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    site.pages = new Map([
      ['/docs/', page('Start.', 'one', 'two')],
      ['/docs/one', page('The heron nests in spring.')],
      ['/docs/two', page('The stork nests in summer.')],
    ])
    const of_bob = { principal_or_group: `user:${bob.id}`, permission: 'manage' }
    const id = await ada.collection({ default_acl: [of_bob] })
    const made = Promise.withResolvers<string>()
    const end = async () => {
      if (reason === 'connector_deleted') {
        return await ada.does('DELETE', `/v1/connectors/${await made.promise}`)
      }
      const entry = (who: Reader, permission: string) => ({
        principal_or_group: `user:${who.id}`,
        permission,
      })
      const acl = [entry(bob, 'manage'), entry(ada, 'read')]
      return await bob.does('PUT', `/v1/collections/${id}/acl`, { acl })
    }
    site.before = path => (path === '/docs/one' ? end() : Promise.resolve())
    onTestFinished(() => {
      site.before = () => Promise.resolve()
    })
    const { id: connector_id, job_id } = await ada.does(
      'POST',
      `/v1/collections/${id}/connectors`,
      { kind: 'web', config: { urls: [`${home}/docs/`], depth: 1 } },
    )
    made.resolve(connector_id)
    expect(await ended(ada.job, job_id)).toMatchObject({ state: 'failed', error_code: reason })
    expect(await documents(ada, id)).toEqual(['/docs/'])
  },
)

test('pages with very many links do not fill the memory, and nothing is deleted then', async () => {
  const ada = await world.reader()
  const links = Array.from({ length: 60_000 }, (_, n) => `<a href="x/${n}">x</a>`)
  site.pages = new Map([
    ['/robots.txt', 'User-agent: *\nDisallow: /docs/x/'],
    ['/docs/', links.join('')],
  ])
  const { job } = await connected(ada)
  expect(job).toMatchObject({ state: 'succeeded', result: { listed: 1, complete: false } })
})

test('no packet goes to a private address, by name, by number or by redirect', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const port = canaryPort()
  for (const source_uri of [
    `http://127.0.0.1:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://2130706433:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
  ]) {
    const refused = await ada.ask('POST', `/v1/collections/${id}/documents`, { source_uri })
    expect([refused.status, refused.body.code], source_uri).toEqual([422, 'destination_blocked'])
  }
  const moved = await ada.ingest(id, { source_uri: `${home}/moved` })
  expect(moved).toMatchObject({ state: 'failed', error_code: 'fetch_blocked' })
  expect(canary.connections).toBe(0)
})

test('a fetched document is found, with its version at the source', async () => {
  const ada = await world.reader()
  site.pages.set('/note.txt', 'Lighthouses flash at night.')
  const id = await ada.collection()
  const job = await ada.ingest(id, { source_uri: `${home}/note.txt` })
  expect(job).toMatchObject({ state: 'succeeded' })
  const [hit] = await ada.search(id, 'lighthouses')
  expect(hit).toMatchObject({ source_uri: `${home}/note.txt`, text: 'Lighthouses flash at night.' })
})
