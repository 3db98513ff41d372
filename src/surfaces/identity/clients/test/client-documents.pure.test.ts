/**
 * Documents of applications that nobody registered, fetched over TLS from a server of the test: what
 * is taken from one, and what is refused before or after it is fetched.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionCatalog } from '#dodeca/kernel'
import { makeCertificate } from '../../../../kernel/outgoing/test/certificate.ts'
import { openReceiver, type Answering } from '../../../../kernel/outgoing/test/receiver.ts'
import type { Kernel } from '../../settings.ts'
import { lifeOf, openClientDocuments } from '../client-documents.ts'

const names = ['localhost', '*.localhost', 'localhost.evil.test']
const certificate = makeCertificate(names)
const before = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...before, certificate.cert]))
afterAll(() => setDefaultCACertificates(before))

const permissions: PermissionCatalog = new Map([
  ['chat.messages.write', { says: 'Write', roles: ['member'] }],
  ['identity.accounts.read', { says: 'Read', roles: [] }],
])
const words = ['openid', 'profile', 'email', 'offline_access', 'chat.read', 'chat.write']

type Options = { profile?: Kernel['profile']; on?: boolean }
const open = ({ profile = 'development', on = true }: Options = {}) => {
  const log = { info: () => {} }
  const settings = { 'identity.client_documents': on }
  return openClientDocuments({ kernel: { log, profile, settings } as never, permissions })
}

const redirect_uris = ['http://127.0.0.1/done', 'https://app.test/done']
const path = '/client.json'

/** A server with one document, and the id of it. */
async function serve(change: (id: string) => object | string, more: Partial<Sent> = {}) {
  const answer: Answering = (response, { headers }) => {
    const id = `https://${headers.host}${path}`
    const said = change(id)
    const whole = { client_id: id, client_name: 'Notes', redirect_uris, ...(said as object) }
    const { status = 200, type = 'application/json', headers: own = {} } = more
    response.writeHead(status, { 'content-type': type, ...own })
    response.end(typeof said === 'string' ? said : JSON.stringify(whole))
  }
  const receiver = await openReceiver(answer, certificate)
  return { ...receiver, id: `https://localhost:${receiver.port}${path}` }
}
type Sent = { status: number; type: string; headers: Record<string, string> }

describe('a document', () => {
  test('is an application that may ask for what it says, and is fetched once', async () => {
    const server = await serve(() => ({
      token_endpoint_auth_method: 'none',
      scope: 'openid chat.read everything identity.accounts.read enrolment',
      client_uri: `https://localhost:${server.port}/about`,
    }))
    const { find } = open()
    const found = await Promise.all(Array.from({ length: 20 }, () => find(server.id)))
    for (const one of found) {
      expect(one).toEqual({
        client_id: server.id,
        tenant_id: null,
        name: 'Notes',
        type: 'native',
        redirect_uris,
        scopes: ['openid', 'chat.read'],
        first_party: false,
        document: true,
        uri: `https://localhost:${server.port}/about`,
      })
    }
    await find(server.id)
    expect(server.requests).toHaveLength(1)
    await server.close()
  })

  test('without a scope may ask for every word, and shows no page of others', async () => {
    const server = await serve(() => ({ client_uri: 'https://bank.test/', first_party: true }))
    const found = await open().find(server.id)
    expect(found?.scopes.toSorted()).toEqual([...words, 'chat.messages.write'].toSorted())
    expect([found?.uri, found?.first_party]).toEqual([null, false])
    await server.close()
  })

  test.for<[string, (id: string) => object | string, Partial<Sent>?]>([
    ['of another id', id => ({ client_id: `${id}?` })],
    ['with a secret', () => ({ client_secret: 'x' })],
    ['with a key', () => ({ token_endpoint_auth_method: 'private_key_jwt' })],
    ['without a name', () => ({ client_name: '' })],
    ['without a way back', () => ({ redirect_uris: [] })],
    ['with a way to a host like this one', () => ({ redirect_uris: ['http://localhost.evil/'] })],
    ['with one wrong way', () => ({ redirect_uris: [...redirect_uris, 'javascript:alert(1)'] })],
    ['of too many ways', () => ({ redirect_uris: Array(21).fill(redirect_uris[0]) })],
    ['that is no JSON', () => '{'],
    ['that is a list', () => '[]'],
    ['of a page', () => ({}), { type: 'text/html' }],
    ['that is not found', () => ({}), { status: 404 }],
    ['that leads on', () => ({}), { status: 302, headers: { location: path } }],
    ['of a megabyte', () => ({ padding: 'x'.repeat(2 ** 20) })],
    ['of more than 8 KiB', () => ({ padding: 'x'.repeat(8 * 1024) })],
  ])('%s is refused, and not fetched again at once', async ([, change, more]) => {
    const server = await serve(change, more)
    const { find } = open()
    for (let times = 0; times < 3; times++) expect(await find(server.id)).toBeUndefined()
    expect(server.requests).toHaveLength(1)
    await server.close()
  })

  test('that does not come is given up', async () => {
    const server = await openReceiver(() => {}, certificate)
    expect(await open().find(`https://localhost:${server.port}${path}`)).toBeUndefined()
    await server.close()
  })

  test('is kept between five minutes and a day', () => {
    const life = (said?: string) => lifeOf(said === undefined ? {} : { 'cache-control': said })
    expect(life()).toBe(300)
    expect(life('no-store, max-age=3600')).toBe(300)
    expect(life('max-age=1')).toBe(300)
    expect(life('public, max-age=3600')).toBe(3600)
    expect(life('max-age=999999999')).toBe(86_400)
    expect(life('max-age=-1')).toBe(300)
    expect(life('s-maxage=3600')).toBe(300)
  })
})

describe('an id', () => {
  test.for([
    ['without a path', ''],
    ['of a host alone', '/'],
    ['with a fragment', '/client.json#x'],
    ['with another spelling', '/a/../client.json'],
    ['that is too long', `/${'x'.repeat(300)}`],
  ] as const)('%s is refused without a connection', async ([, rest]) => {
    const server = await serve(() => ({}))
    expect(await open().find(`https://localhost:${server.port}${rest}`)).toBeUndefined()
    expect(server.connections()).toBe(0)
    await server.close()
  })

  test('with credentials, of http, or of a host like this machine is refused', async () => {
    const server = await serve(() => ({}))
    const { port } = server
    const ids = [
      `https://me@localhost:${port}${path}`,
      `http://localhost:${port}${path}`,
      `HTTPS://localhost:${port}${path}`,
      `https://localhost.evil.test:${port}${path}`,
      `https://10.0.0.1:${port}${path}`,
      `https://169.254.169.254${path}`,
    ]
    const { find } = open()
    for (const id of ids) expect(await find(id)).toBeUndefined()
    expect(server.connections()).toBe(0)
    await server.close()
  })

  test('on this machine is for development alone', async () => {
    const server = await serve(() => ({}))
    const { port } = server
    const { find } = open({ profile: 'production' })
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'app.localhost', '2130706433']) {
      expect(await find(`https://${host}:${port}${path}`)).toBeUndefined()
    }
    expect(server.connections()).toBe(0)
    expect(await open().find(server.id)).toBeDefined()
    await server.close()
  })

  test('is unknown while documents are switched off', async () => {
    const server = await serve(() => ({}))
    expect(await open({ on: false }).find(server.id)).toBeUndefined()
    expect(server.connections()).toBe(0)
    await server.close()
  })

  test('does not make a host answer again and again', async () => {
    const server = await openReceiver(response => response.writeHead(404).end(), certificate)
    const { find } = open()
    for (let at = 0; at < 300; at++) await find(`https://localhost:${server.port}/${at}`)
    // Thirty a minute; some more on a machine that takes its time.
    expect(server.requests.length).toBeLessThan(150)
    await server.close()
  })
})
