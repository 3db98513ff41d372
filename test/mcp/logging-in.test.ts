/**
 * A client of others that knows nothing but the address of /mcp: it logs a person in, and asks again
 * when a tool needs more.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client'
import { afterAll, expect, test } from 'vitest'
import { makeCertificate } from '../../src/kernel/outgoing/test/certificate.ts'
import { openReceiver } from '../../src/kernel/outgoing/test/receiver.ts'
import { hiddenOf, openOAuthWorld } from '../../src/surfaces/identity/oauth/test/oauth-world.ts'
import { loggedIn } from '../../src/surfaces/identity/pages/test/visitor.ts'
import { saidIn } from './clients.ts'

const certificate = makeCertificate(['localhost'])
const before = getCACertificates('default')
setDefaultCACertificates([...before, certificate.cert])
const redirectUrl = 'http://127.0.0.1:33418/callback'
const document = await openReceiver((response, { headers: { host } }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      client_id: `https://${host}/mcp-client.json`,
      client_name: 'Agent',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    }),
  )
}, certificate)

const world = await openOAuthWorld()
afterAll(async () => {
  await world.close()
  await document.close()
  setDefaultCACertificates(before)
})

function openProvider() {
  let information: OAuthClientInformationMixed | undefined
  let verifier = ''
  const kept: { tokens?: OAuthTokens; led_to?: URL } = {}
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl: `https://localhost:${document.port}/mcp-client.json`,
    clientMetadata: { redirect_uris: [redirectUrl], client_name: 'Agent' },
    clientInformation: () => information,
    saveClientInformation: saved => void (information = saved),
    tokens: () => kept.tokens,
    saveTokens: saved => void (kept.tokens = saved),
    redirectToAuthorization: url => void (kept.led_to = url),
    saveCodeVerifier: saved => void (verifier = saved),
    codeVerifier: () => verifier,
  }
  return { provider, kept }
}

test('it asks for what a person may give, and for more when a tool needs it', async () => {
  const person = await world.member()
  const browser = await loggedIn(world, person)
  const { provider, kept } = openProvider()
  const transportOf = () =>
    new StreamableHTTPClientTransport(new URL('/mcp', world.url), { authProvider: provider })
  const clientOf = () =>
    new Client(
      { name: 'agent', version: '1.0.0' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: { pin: '2026-07-28' } },
      },
    )
  const allow = async () => {
    const { pathname, search } = kept.led_to ?? new URL(world.url)
    const page = await browser.open(pathname + search)
    expect([page.status, page.to]).toEqual([200, null])
    const allowed = await browser.send(pathname, { ...hiddenOf(page.text), action: 'allow' })
    return new URL(allowed.to ?? '').searchParams
  }
  const asked = () => new Set(kept.led_to?.searchParams.get('scope')?.split(' '))

  const first = transportOf()
  await expect(clientOf().connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
  expect(kept.led_to?.searchParams.get('resource')).toBe(`${world.url}/mcp`)
  expect(asked()).toContain('commerce.read')
  expect([...asked()].filter(word => word.endsWith('.write'))).toEqual([])
  await first.finishAuth(await allow())

  const second = transportOf()
  const client = clientOf()
  await client.connect(second)
  const { tools } = await client.listTools()
  expect(tools.map(one => one.name)).toEqual(expect.arrayContaining(['listOrders', 'createLink']))
  const orders = await client.callTool({ name: 'listOrders', arguments: {} })
  expect(saidIn(orders)).toMatchObject({ data: [] })
  const token = kept.tokens?.access_token ?? ''
  expect((await world.call('GET', '/v1/orders', { token })).status).toBe(401)

  const link = { name: 'createLink', arguments: { destination_url: 'https://example.com/' } }
  await expect(client.callTool(link)).rejects.toBeInstanceOf(UnauthorizedError)
  expect(asked()).toContain('links.links.create')
  expect(asked()).toContain('commerce.read')
  await second.finishAuth(await allow())
  const made = await client.callTool(link)
  expect([made.isError, saidIn(made).destination_url]).toEqual([false, 'https://example.com/'])

  const { body } = await world.call('GET', '/v1/sessions', { token: person.token })
  const grants = body.data.filter((one: { client?: unknown }) => one.client)
  for (const { id } of grants) {
    const end = await world.call('DELETE', `/v1/sessions/${id}`, { token: person.token })
    expect(end.status).toBe(204)
  }
  const ended = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${kept.tokens?.access_token}` },
  })
  expect(ended.status).toBe(401)
  await client.close()
})
