/** Messages of PayPal: what is forged, foreign or repeated changes nothing. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../sandbox/paypal/certificate.ts'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openCertificates } from '../provider/paypal-certificates.ts'
import { verifyPayPal } from '../provider/verify-paypal.ts'
import { openPayPalWorld, type PayPalWorld } from './paypal-world.ts'

let world: PayPalWorld
beforeAll(async () => {
  world = await openPayPalWorld()
})
afterAll(() => world.close())

const Stored = Type.Object({ object_ref: Type.String() })
const stored = (event_id: string) =>
  world.platform.kernel.db.many(
    Stored,
    sql`select object_ref from payments.provider_events where event_id = ${event_id}`,
  )

function aboutOrder(order: string, id = `WH-${newId()}`) {
  const resource = { id: order, status: 'APPROVED' }
  const event = { id, event_type: 'CHECKOUT.ORDER.APPROVED', create_time: '', resource }
  return { id, body: JSON.stringify(event) }
}

type Headers = Record<string, string>
const webhook_id = () => world.vendors['paypal']?.['webhook_id'] ?? ''
const signed = async (body: string, webhook = webhook_id()): Promise<Headers> =>
  await world.at.control('sign', { webhook_id: webhook, body })
const send = async (body: string, headers: Headers, to = 'paypal') =>
  (await fetch(`${world.url}/v1/providers/${to}/webhooks`, { method: 'POST', headers, body }))
    .status

test('a signed message is stored once, however often it comes', async () => {
  const { id, body } = aboutOrder('5O190127TN364715T')
  const headers = await signed(body)
  const statuses = await Promise.all(Array.from({ length: 5 }, () => send(body, headers)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await send(body, headers)).toBe(200)
  expect(await stored(id)).toEqual([{ object_ref: '5O190127TN364715T' }])
})

describe('nothing happens', () => {
  const attacks: Record<string, (body: string) => Promise<[string, Headers]>> = {
    'for a body that was changed': async body => [
      body.replace('APPROVED', 'approved'),
      await signed(body),
    ],
    'for the id of another webhook': async body => [body, await signed(body, 'ANOTHERWEBHOOK123')],
    'for another time': async body => [
      body,
      { ...(await signed(body)), 'paypal-transmission-time': new Date().toISOString() },
    ],
    'for a message of last week': async body => [
      body,
      { ...(await signed(body)), 'paypal-transmission-time': '2020-01-01T00:00:00Z' },
    ],
    'for another id of the message': async body => [
      body,
      { ...(await signed(body)), 'paypal-transmission-id': newId() },
    ],
    'without a signature': async body => [
      body,
      { ...(await signed(body)), 'paypal-transmission-sig': '' },
    ],
    'for another algorithm': async body => [
      body,
      { ...(await signed(body)), 'paypal-auth-algo': 'SHA1withRSA' },
    ],
    'for a certificate at another path': async body => [
      body,
      { ...(await signed(body)), 'paypal-cert-url': `${world.vendors['paypal']?.['api']}/other` },
    ],
  }
  test.for(Object.entries(attacks))('%s', async ([, attack]) => {
    const { id, body } = aboutOrder('5O190127TN364715T')
    const [text, headers] = await attack(body)
    expect(await send(text, headers)).toBeGreaterThanOrEqual(400)
    expect(await stored(id)).toEqual([])
  })
})

test('a certificate of somebody else is not even fetched, and one of a right name elsewhere is not trusted', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let fetched = 0
  const pem = makeCertificate(privateKey, 'messageverificationcerts.paypal.com', Date.now())
  const foreign = createServer((_request, response) => {
    fetched++
    response.end(pem)
  })
  await new Promise<void>(resolve => foreign.listen(0, '127.0.0.1', resolve))
  const { port } = foreign.address() as AddressInfo
  const { id, body } = aboutOrder('5O190127TN364715T')
  const [transmission, time] = [newId(), new Date().toISOString()]
  const text = `${transmission}|${time}|${webhook_id()}|${crc32(body)}`
  const cert = '/v1/notifications/certs/CERT-1'
  const message = (cert_url: string) => ({
    'paypal-transmission-id': transmission,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': sign('sha256', Buffer.from(text), privateKey).toString('base64'),
    'paypal-cert-url': cert_url,
    'paypal-auth-algo': 'SHA256withRSA',
  })
  for (const url of [
    `http://127.0.0.1:${port}${cert}`,
    `https://api.paypal.com@127.0.0.1:${port}${cert}`,
    `https://api.paypal.com.example.org${cert}`,
    `http://api.paypal.com${cert}`,
    `https://api.paypal.com/v1/notifications/certs/../../oauth2`,
  ]) {
    expect(await send(body, message(url))).toBeGreaterThanOrEqual(400)
  }
  expect([fetched, await stored(id)]).toEqual([0, []])
  foreign.close()
})

test('certificates are kept, fetched at most once a minute, and must be for PayPal and in time', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const names = ['messageverificationcerts.paypal.com']
  const served: Record<string, string> = {
    right: makeCertificate(privateKey, names[0] ?? '', Date.now()),
    foreign: makeCertificate(privateKey, 'messages.example.org', Date.now()),
    past: makeCertificate(privateKey, names[0] ?? '', Date.now(), -1),
    chained:
      makeCertificate(privateKey, names[0] ?? '', Date.now()) +
      makeCertificate(privateKey, 'root', Date.now()),
  }
  let fetched = 0
  const host = createServer((request, response) => {
    fetched++
    response.end(served[request.url?.split('CERT-')[1] ?? ''] ?? '')
  })
  await new Promise<void>(resolve => host.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const trusted = { origins: [origin], names }
  const certificates = openCertificates()
  let now = Date.now() / 1000
  const at = (name: string) =>
    certificates.keyAt(`${origin}/v1/notifications/certs/CERT-${name}`, trusted, now)
  expect(await at('right')).not.toBeNull()
  expect(await at('right')).not.toBeNull()
  expect(await at('foreign')).toBeNull()
  expect(fetched).toBe(1)
  for (const name of ['foreign', 'past', 'chained', 'absent']) {
    now += 61
    expect(await at(name), name).toBeNull()
  }
  expect(fetched).toBe(5)
  expect(await at('right')).not.toBeNull()
  host.close()
})

test('without the id of a webhook, or without its certificate, no message is accepted', async () => {
  const { body } = aboutOrder('5O190127TN364715T')
  const headers = await signed(body)
  const certificates = openCertificates()
  const trusted = async () => ({
    origins: [world.vendors['paypal']?.['api'] ?? ''],
    names: ['a.b'],
  })
  const verdict = (id: string | null) =>
    verifyPayPal(
      { webhook_id: async () => id, certificates, trusted },
      { raw: Buffer.from(body), headers, url: '' },
      Date.now() / 1000,
    )
  expect(await verdict(null)).toEqual({ refused: 'signature_invalid' })
  expect(await verdict(webhook_id())).toEqual({ refused: 'signature_invalid' })
})

test('messages that overtake each other and come again lead to one hold and one capture', async () => {
  const shop = await world.merchant()
  const { id } = await world.authorized(shop)
  const order = await world.handleOf(shop, id)
  const again = aboutOrder(order)
  const headers = await signed(again.body)
  const [captured] = await Promise.all([
    shop.ask('POST', `/v1/payment-intents/${id}/capture`, {}),
    ...Array.from({ length: 5 }, () => send(again.body, headers)),
  ])
  expect(captured.status).toBe(200)
  await eventually('it is stored', async () => (await stored(again.id)).length === 1)
  expect((await world.at.effects(order)).map(one => one.kind)).toEqual(['authorization', 'capture'])
  await world.sound()
})
