/**
 * The log-in of an MCP client, by the SDK that such clients are made with: nobody has registered it,
 * and it knows nothing but the address of our API.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, expect, test } from 'vitest'
import { makeCertificate } from '../../../../kernel/outgoing/test/certificate.ts'
import { openReceiver } from '../../../../kernel/outgoing/test/receiver.ts'
import { startProcess } from '../../../../../test/process.ts'
import { eventually } from '../../../../../test/world.ts'
import { hiddenOf, openOAuthWorld } from '../../oauth/test/oauth-world.ts'
import { loggedIn } from '../../pages/test/visitor.ts'

const certificate = makeCertificate(['localhost'])
const before = getCACertificates('default')
setDefaultCACertificates([...before, certificate.cert])
const redirect_uri = 'http://127.0.0.1:33418/callback'
const client_name = 'Agent <of somebody>'
const document = await openReceiver((response, { headers: { host } }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      client_id: `https://${host}/mcp-client.json`,
      client_name,
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    }),
  )
}, certificate)
const client_id = `https://localhost:${document.port}/mcp-client.json`

const world = await openOAuthWorld()
afterAll(async () => {
  await world.close()
  await document.close()
  setDefaultCACertificates(before)
})
const api = `${world.url}/v1`

/** What an MCP client keeps between its steps. */
function openProvider() {
  let information: OAuthClientInformationMixed | undefined
  let verifier = ''
  const kept: { tokens?: OAuthTokens; led_to?: URL } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: redirect_uri,
    clientMetadataUrl: client_id,
    clientMetadata: { redirect_uris: [redirect_uri], client_name },
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

const get = (base: string, token: string | undefined, path = '/me', method = 'GET') =>
  fetch(`${base}${path}`, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

test('an MCP client logs a person in, gets what it is allowed, and nothing after its end', async () => {
  const person = await world.member()
  const { provider, kept } = openProvider()

  const refused = await get(api, undefined)
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
  expect([refused.status, resourceMetadataUrl?.href]).toEqual([
    401,
    `${world.url}/.well-known/oauth-protected-resource/v1`,
  ])
  expect(
    await auth(provider, { serverUrl: api, ...(resourceMetadataUrl && { resourceMetadataUrl }) }),
  ).toBe('REDIRECT')
  expect(provider.clientInformation()).toMatchObject({ client_id })
  const asked = kept.led_to?.searchParams
  expect(asked?.get('resource')).toBe(api)
  expect(asked?.get('code_challenge_method')).toBe('S256')

  const browser = await loggedIn(world, person)
  const path = `${kept.led_to?.pathname}${kept.led_to?.search}`
  const page = await browser.open(path)
  expect(page.text).toContain('Agent &lt;of somebody&gt;')
  const allowed = await browser.send('/account/authorize', {
    ...hiddenOf(page.text),
    action: 'allow',
  })
  const back = new URL(allowed.to ?? '')
  expect(back.origin + back.pathname).toBe(redirect_uri)
  expect(back.searchParams.get('iss')).toBe(world.url)
  const authorizationCode = back.searchParams.get('code') ?? ''
  expect(await auth(provider, { serverUrl: api, authorizationCode })).toBe('AUTHORIZED')
  expect(document.requests).toHaveLength(1)

  const token = kept.tokens?.access_token ?? ''
  const me = await get(api, token)
  expect(me.status).toBe(200)
  expect(await me.json()).toMatchObject({ id: person.id, session: { client_id } })
  const beyond = await get(api, token, '/jobs', 'POST')
  expect(beyond.status).toBe(403)
  expect(extractWWWAuthenticateParams(beyond)).toMatchObject({ error: 'insufficient_scope' })

  const other = await startProcess({ ...world.environment, ROLES: 'api', PORT: '0' }, 'product')
  const there = `${other.url}/v1`
  expect((await get(there, token)).status).toBe(200)
  const sessions = await world.call('GET', '/v1/sessions', { token: person.token })
  const grant = sessions.body.data.find((one: { client?: unknown }) => one.client)
  const end = await world.call('DELETE', `/v1/sessions/${grant.id}`, { token: person.token })
  expect(end.status).toBe(204)
  const ended = await get(api, token)
  expect(ended.status).toBe(401)
  expect(extractWWWAuthenticateParams(ended)).toMatchObject({ error: 'invalid_token' })
  await eventually(
    'the other process refuses',
    async () => (await get(there, token)).status === 401,
    5000,
  )
  await other.kill()
})

test('a person is asked by a document each time, and the code goes nowhere else', async () => {
  const person = await world.member()
  const browser = await loggedIn(world, person)
  for (let times = 0; times < 2; times++) {
    const { provider, kept } = openProvider()
    await auth(provider, { serverUrl: api })
    const { pathname, search, searchParams } = kept.led_to ?? new URL(api)
    const page = await browser.open(pathname + search)
    expect([page.status, page.to]).toEqual([200, null])
    const fields = { ...hiddenOf(page.text), action: 'allow' }
    const allowed = await browser.send(pathname, fields)
    const authorizationCode = new URL(allowed.to ?? '').searchParams.get('code') ?? ''
    expect(await auth(provider, { serverUrl: api, authorizationCode })).toBe('AUTHORIZED')
    searchParams.set('redirect_uri', 'http://127.0.0.1.evil.test/callback')
    const stolen = await browser.open(`${pathname}?${searchParams}`)
    expect([stolen.status, stolen.to]).toEqual([422, null])
  }
})
