/** Connectors and files: on whose right they add documents, and what one bad document must not stop. */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginNarrow, rescope } from '../../../../test/narrow.ts'
import { call, eventually, newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { ended, openRetrievalWorld, type Reader, type RetrievalWorld } from './retrieval-world.ts'

const pages = new Map<string, string>()
/** The request for this page waits until its test answers it. */
const held = Promise.withResolvers<ServerResponse>()
const server = createServer((request, response) => {
  if (request.url === '/held') return held.resolve(response)
  const body = pages.get(request.url ?? '')
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' })
  response.end(body ?? '')
})

let world: RetrievalWorld
let home: string
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  home = `http://127.0.0.1:${port}`
  world = await openRetrievalWorld({
    RETRIEVAL_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${port}`,
    RETRIEVAL_ALLOWED_PORTS: `80,443,${port}`,
  })
})
afterAll(async () => {
  await world.close()
  server.close()
})

/** An available file for documents. */
async function upload(who: Reader, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  const made = await who.does('POST', '/v1/uploads', {
    expected_size: bytes.length,
    media_category: 'text',
    claimed_type: 'text/plain',
    purpose: 'document_ingest',
    filename: 'a.txt',
    checksum: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  })
  const put = await fetch(made.upload_url.replace('http://dodeca.test', world.url), {
    method: 'PUT',
    body: new Uint8Array(bytes),
  })
  expect(put.status, await put.text()).toBe(200)
  const { file_id } = await who.does('POST', `/v1/uploads/${made.id}/complete`, {})
  await eventually('the file is available', async () => {
    const { body } = await who.ask('GET', `/v1/files/${file_id}`)
    return body?.state === 'available'
  })
  return file_id
}

const titles = async (who: Reader, id: string): Promise<string[]> =>
  (await who.does('GET', `/v1/collections/${id}/documents?limit=100`)).data.map(
    (one: { source_uri: string }) => one.source_uri.replace(home, ''),
  )

const connect = (who: Reader, id: string, more: object = {}) =>
  who.does('POST', `/v1/collections/${id}/connectors`, { kind: 'uploads', ...more })

test('new files are added only while the creator of the connector manages the collection', async () => {
  const ada = await world.reader()
  const bob = await world.reader(ada.tenant)
  const manages = (who: Reader) => ({ principal_or_group: `user:${who.id}`, permission: 'manage' })
  const id = await ada.collection({ default_acl: [manages(ada), manages(bob)] })
  const { id: connector_id } = await connect(bob, id)
  const first = await upload(bob, 'While bob may.')
  await eventually('it is added', async () => (await titles(ada, id)).includes(`file:${first}`))
  await ada.does('PUT', `/v1/collections/${id}/acl`, { acl: [manages(ada)] })
  await upload(bob, 'When bob may no more.')
  const stopped = await eventually('the connector stops, or adds it', async () => {
    const found = await ada.does('GET', `/v1/connectors/${connector_id}`)
    return (found.state !== 'active' || (await titles(ada, id)).length > 1) && found
  })
  expect(stopped).toMatchObject({ state: 'error', error_code: 'owner_lost_access' })
  expect(await titles(ada, id)).toEqual([`file:${first}`])
})

test.for(['session ended', 'scope without the right'])(
  'a connector of a client stops: %s',
  async how => {
    const ada = await world.reader()
    const id = await ada.collection()
    const path = `/v1/collections/${id}/connectors`
    const as = async (...scope: string[]) => {
      const { token, session_id } = await beginNarrow(world.platform, ada, {
        scope,
        client_id: 'app',
      })
      const made = await call(world.url, 'POST', path, {
        token,
        key: newKey(),
        body: { kind: 'uploads' },
      })
      return { ...made, session_id }
    }
    const blind = await as('retrieval.write')
    expect([blind.status, blind.body.scope]).toEqual([403, 'uploads.read'])
    const { status, body, session_id } = await as('retrieval.write', 'uploads.read')
    expect(status).toBe(201)
    const first = await upload(ada, 'While the client may.')
    await eventually('it is added', async () => (await titles(ada, id)).includes(`file:${first}`))
    if (how === 'session ended') await ada.ask('DELETE', `/v1/sessions/${session_id}`)
    else await rescope(world.platform, ada.id, 'openid', 'uploads.read')
    await upload(ada, 'When it may no more.')
    const stopped = await eventually('the connector stops, or adds it', async () => {
      const found = await ada.does('GET', `/v1/connectors/${body.id}`)
      return (found.state !== 'active' || (await titles(ada, id)).length > 1) && found
    })
    expect(stopped).toMatchObject({ state: 'error', error_code: 'owner_lost_access' })
    expect(await titles(ada, id)).toEqual([`file:${first}`])
  },
)

test('of two connectors of one collection one adds a new file, and a full one stops no other', async () => {
  const ada = await world.reader()
  const [id, other] = [await ada.collection(), await ada.collection()]
  for (const at of [id, id, other]) await connect(ada, at)
  const file_id = await upload(ada, 'Once in each.')
  await eventually('it is in the other collection', async () => {
    const [here, there] = await Promise.all([titles(ada, id), titles(ada, other)])
    return here.length === 1 && there.length === 1
  })
  expect(await titles(ada, id)).toEqual([`file:${file_id}`])
})

test('a connector of an API key syncs as long as the key manages the collection', async () => {
  const ada = await world.reader()
  const permissions = ['retrieval.collections.use', 'retrieval.collections.create']
  const key = await ada.does('POST', '/v1/api-keys', { name: 'crawler', permissions })
  pages.set('/keys/', '<p>The key opens the page.</p>')
  const ask = (method: string, path: string, body?: object) =>
    call(world.url, method, path, {
      token: key.key,
      ...(method === 'POST' ? { key: newKey() } : {}),
      ...(body ? { body } : {}),
    })
  const { body: collection } = await ask('POST', '/v1/collections', { name: 'of a key' })
  const made = await ask('POST', `/v1/collections/${collection.id}/connectors`, {
    kind: 'web',
    config: { urls: [`${home}/keys/`] },
  })
  expect(made.status, made.text).toBe(201)
  const job = async (id: string) => (await ask('GET', `/v1/ingestion-jobs/${id}`)).body
  expect(await ended(job, made.body.job_id)).toMatchObject({ state: 'succeeded' })
})

test('a page whose URL is a document of another source does not stop the others', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  await ada.add(id, 'My own note about it.', { source_uri: `${home}/docs/own` })
  pages.set('/docs/', '<p>Start.</p><a href="own">own</a> <a href="two">two</a>')
  pages.set('/docs/own', '<p>The page itself.</p>')
  pages.set('/docs/two', '<p>The other page.</p>')
  const config = { urls: [`${home}/docs/`], depth: 2 }
  const { job_id } = await connect(ada, id, { kind: 'web', config })
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'succeeded' })
  expect(new Set(await titles(ada, id))).toEqual(new Set(['/docs/', '/docs/own', '/docs/two']))
  const [hit] = await ada.search(id, 'note')
  expect(hit.text).toBe('My own note about it.')
})

test('a document that is served from a file goes with it, also after a failed update', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const file_id = await upload(ada, 'The lamp is green.')
  const source_uri = `${home}/gone`
  const first = await ada.ingest(id, { file_id, source_uri })
  expect(first).toMatchObject({ state: 'succeeded' })
  expect(await ada.ingest(id, { source_uri })).toMatchObject({ state: 'failed' })
  expect(await ada.search(id, 'lamp')).toHaveLength(1)
  expect((await ada.ask('DELETE', `/v1/files/${file_id}`)).status).toBe(204)
  await eventually('it is found no more', async () => (await ada.search(id, 'lamp')).length === 0)
})

test('a document whose file goes while its next version is made goes when that version fails', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const file_id = await upload(ada, 'The kettle is blue.')
  const source_uri = `${home}/held`
  const { document_id } = await ada.ingest(id, { file_id, source_uri })
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/documents`, { source_uri })
  const page = await held.promise
  expect((await ada.ask('DELETE', `/v1/files/${file_id}`)).status).toBe(204)
  await eventually('retrieval knows that the file is gone', async () => {
    const row = await world.platform.kernel.db.maybe(
      Type.Object({ lost: Type.Boolean() }),
      sql`
        select source_lost as lost from retrieval.document_versions
        where tenant_id = ${ada.tenant.id} and file_id = ${file_id}`,
    )
    return row?.lost
  })
  expect(await ada.search(id, 'kettle')).toHaveLength(1)
  page.writeHead(404).end()
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'failed' })
  expect(await ada.search(id, 'kettle')).toHaveLength(0)
  expect((await ada.ask('GET', `/v1/documents/${document_id}`)).status).toBe(404)
})

test('a language that no text can be cut in is refused', async () => {
  const ada = await world.reader()
  const asked = await ada.ask('POST', '/v1/collections', { name: 'x', language: 'en-us-gb' })
  expect([asked.status, asked.body.errors?.[0].pointer]).toEqual([422, '/language'])
})

test.for([
  ['an account that does not exist', `user:${newId()}`],
  ['a role that the caller does not have', 'role:nobody'],
])('an access list that only %s could manage is refused', async ([, name = '']) => {
  const ada = await world.reader()
  const id = await ada.collection()
  const before = await ada.does('GET', `/v1/collections/${id}`)
  const acl = [
    { principal_or_group: name, permission: 'manage' },
    { principal_or_group: `user:${ada.id}`, permission: 'write' },
  ]
  const { status, body } = await ada.ask('PUT', `/v1/collections/${id}/acl`, { acl })
  expect([status, body.errors]).toEqual([
    422,
    [{ location: 'body', pointer: '/acl', constraint: 'contains' }],
  ])
  expect(await ada.does('GET', `/v1/collections/${id}`)).toEqual(before)
})
