/** An access token that FCM refuses is not used again. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createHttp2, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFcm } from '../fcm.ts'
import type { Outgoing } from '../outcome.ts'

let given = 0
const tokens = createServer((_request, response) => {
  given += 1
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ access_token: `token-${given}`, expires_in: 3600 }))
})
const sessions = new Set<ServerHttp2Session>()
const vendor = createHttp2()
vendor.on('session', session => sessions.add(session))
vendor.on('stream', (stream, { authorization }) => {
  stream.resume()
  const good = authorization === 'Bearer token-2'
  stream.respond({ ':status': good ? 200 : 401 })
  stream.end(JSON.stringify(good ? { name: 'one' } : { error: { status: 'UNAUTHENTICATED' } }))
})
beforeAll(async () => {
  for (const server of [tokens, vendor]) {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  }
})
afterAll(() => {
  for (const session of sessions) session.destroy()
  vendor.close()
  tokens.closeAllConnections()
  tokens.close()
})

const push: Outgoing = {
  ref: 'one.push.device',
  to: 'device',
  message: { channel: 'push', locale: 'en', subject: 'x', html: null, text: 'x', url: null },
  category: 'news',
  unsubscribe_url: null,
  created_at: '2026-11-22T00:00:00.000Z',
  ttl_seconds: 60,
}

const urlOf = (server: { address(): AddressInfo | string | null }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a message after a refused token is sent with a new one', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const fcm = openFcm({
    name: 'fcm',
    account: {
      project_id: 'p',
      client_email: 'sender@p.test',
      private_key: privateKey,
      token_uri: `${urlOf(tokens)}/token`,
    },
    base_url: urlOf(vendor),
    connections: 1,
  })
  const send = () => fcm.send(push, new AbortController().signal)
  expect(await send()).toEqual({ kind: 'failed', code: 'provider_auth_failed' })
  expect(await send()).toEqual({ kind: 'accepted', provider_message_id: 'one' })
  await fcm.close()
})
