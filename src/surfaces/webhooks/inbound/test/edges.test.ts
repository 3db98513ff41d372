/** What surrounds a genuine message: its exact bytes, its size, its headers, its envelope, its durability. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import * as by from './signers.ts'
import { openSource, type TestSource } from './sources.ts'

const world = await openProductWorld({
  WEBHOOKS_INBOUND_ACK_MS: '5000',
})
afterAll(() => world.close())

describe.concurrent('bytes', () => {
  test('a body that was parsed and written again is forged', async () => {
    const source = await openSource(world, 'stripe')
    const signed = by.byStripe(source.signing())
    const rewritten = { ...signed, body: JSON.stringify(JSON.parse(signed.body)) }
    expect((await source.send(rewritten)).body.code).toBe('signature_invalid')
  })

  test('what a provider would rather be answered loses no message', async () => {
    const source = await openSource(world, 'stripe')
    const { headers, body } = by.byStripe(source.signing())
    for (const more of [{ accept: 'application/xml' }, { 'content-encoding': 'Identity' }]) {
      const answer = await source.send({ headers: { ...headers, ...more }, body })
      expect([answer.status, answer.body]).toEqual([200, { received: true }])
    }
  })

  test('a packed body is not unpacked', async () => {
    const source = await openSource(world, 'github')
    const packed = gzipSync('{}')
    const mac = createHmac('sha256', source.secret).update(packed).digest('hex')
    const answer = await fetch(world.url + source.address, {
      method: 'POST',
      body: packed,
      headers: {
        'content-encoding': 'gzip',
        'x-hub-signature-256': `sha256=${mac}`,
        'x-github-delivery': newId(),
      },
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      415,
      { code: 'unsupported_media_type' },
    ])
  })

  test('a header that is there twice proves nothing', async () => {
    for (const scheme of ['stripe', 'github', 'standard'] as const) {
      const source = await openSource(world, scheme)
      const sign = { stripe: by.byStripe, github: by.byGithub, standard: by.byStandard }[scheme]
      const { body, headers } = await sign(source.signing())
      const doubled = Object.entries(headers).flatMap(([name, value]) =>
        /signature|webhook-id/.test(name) ? [name, value, name, value] : [name, value],
      )
      expect(await sendPlain(source, doubled, body)).toBe(401)
    }
  })

  test('1 MiB and a byte is refused before it is read, and 25 MiB of GitHub are not', async () => {
    const mib = 1024 * 1024
    const stripe = await openSource(world, 'stripe')
    const github = await openSource(world, 'github')
    const announce = (source: TestSource, bytes: number) =>
      sendPlain(source, ['content-length', String(bytes)], null)
    // Nothing but the head is sent: who reads first would wait for ever.
    expect(await announce(stripe, mib + 1)).toBe(413)
    expect(await announce(github, 25 * mib + 1)).toBe(413)
    expect(await sendPlain(stripe, ['transfer-encoding', 'chunked'], 'x'.repeat(mib + 1))).toBe(413)
    const large = JSON.stringify({ text: 'x'.repeat(2 * mib) })
    const mac = createHmac('sha256', github.secret).update(large).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mac}`, 'x-github-delivery': newId() }
    expect((await github.send({ body: large, headers })).status).toBe(202)
    // Nor may a stranger send much to an unknown source.
    const unknown_source = { ...stripe, address: `/v1/inbound/stripe/${newId()}` }
    expect(await announce(unknown_source, mib + 1)).toBe(404)
  })
})

describe.concurrent('envelopes', () => {
  test('a genuine message without an id is refused and not kept', async () => {
    const source = await openSource(world, 'stripe')
    for (const body of [
      '{"type":"x"}',
      'no json',
      '[]',
      '{"id":7}',
      `{"id":"a${'b'.repeat(400)}"}`,
    ]) {
      const answer = await source.send(by.byStripe(source.signing(), body))
      expect([answer.status, answer.body.code]).toEqual([400, 'envelope_invalid'])
      expect(answer.body.detail).toContain('the member id of a JSON object')
    }
    expect(await source.receipts()).toEqual([])
  })

  test('ids beyond 2^53 are not taken for each other, and an id may be any text', async () => {
    const { timestamp_header: _, template: __, ...untimed } = by.genericOptions
    const options = { ...untimed, id_pointer: '/id' }
    const source = await openSource(world, 'generic_hmac', { options })
    const event_ids = ['9007199254740993', '9007199254740992', '7', '"order 7, ü 😀"', '7']
    for (const id of event_ids) {
      const body = `{"id": ${id}}`
      const mac = createHmac('sha512', source.secret).update(body).digest('base64')
      const answer = await source.send({ body, headers: { 'x-acme-signature': `sha512:${mac}` } })
      expect([id, answer.status]).toEqual([id, 204])
    }
    const ids = (await source.receipts()).map(row => row.provider_event_id)
    expect(ids).toEqual(['order 7, ü 😀', '7', '9007199254740992', '9007199254740993'])
  })

  test('an id in a header that is signed too cannot be changed', async () => {
    const { id_pointer: _, ...named } = by.genericOptions
    const options = { ...named, id_header: 'X-Acme-Id', template: '{id}.{timestamp}.{body}' }
    const source = await openSource(world, 'generic_hmac', { options })
    const { seconds } = source.signing()
    const mac = createHmac('sha512', source.secret).update(`a-1.${seconds}.{}`).digest('base64')
    const under = async (id: string) => {
      const signature = { 'x-acme-time': String(seconds), 'x-acme-signature': `sha512:${mac}` }
      return (await source.send({ body: '{}', headers: { ...signature, 'x-acme-id': id } })).status
    }
    expect([await under('a-1'), await under('a-1'), await under('a-2')]).toEqual([204, 204, 401])
    expect((await source.receipts()).map(row => row.provider_event_id)).toEqual(['a-1'])
  })

  test("Slack's challenge is answered when its signature is right, and is not an event", async () => {
    const source = await openSource(world, 'slack')
    const given = { type: 'url_verification', challenge: 'a-challenge' }
    const answer = await source.send(by.bySlack(source.signing(), given))
    expect([answer.status, answer.body]).toEqual([200, { challenge: 'a-challenge' }])
    const forged = by.bySlack({ ...source.signing(), secret: 'of-somebody-else' }, given)
    expect((await source.send(forged)).status).toBe(401)
    expect(await source.receipts()).toEqual([])
  })

  test('Twilio tells of each status once, and signs the public address', async () => {
    const source = await openSource(world, 'twilio')
    const given = { MessageSid: 'SM1', MessageStatus: 'sent' }
    const later = { ...given, MessageStatus: 'delivered' }
    for (const one of [given, later, given]) await source.send(by.byTwilio(source.signing(), one))
    const ids = (await source.receipts()).map(row => row.provider_event_id)
    expect(ids).toEqual(['SM1:delivered', 'SM1:sent'])
    const url = `${world.url}${source.address}`
    expect((await source.send(by.byTwilio({ ...source.signing(), url }))).status).toBe(401)
    // A query as it was named, although the sender writes it otherwise.
    const search = "?shop='a'&first=(b)!*"
    const queried = { ...source.signing(), url: source.signing().url + search }
    const sent = { ...by.byTwilio(queried), search }
    expect((await source.send(sent)).status).toBe(200)
    // With its port, as some of its products sign.
    const ported = source.signing().url.replace('dodeca.test', 'dodeca.test:80')
    const answer = await source.send(by.byTwilio({ ...source.signing(), url: ported }))
    expect(answer.status).toBe(200)
  })

  test('a public key verifies what only its owner could sign', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const x = publicKey.export({ format: 'jwk' }).x ?? ''
    const secret = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
    const source = await openSource(world, 'standard', {}, { secret })
    const body = '{"type":"signed.by_key"}'
    const id = newId()
    const { seconds } = source.signing()
    const mac = sign(null, Buffer.from(`${id}.${seconds}.${body}`), privateKey).toString('base64')
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1a,${mac}`,
    }
    expect((await source.send({ body: `${body} `, headers })).status).toBe(401)
    expect((await source.send({ body, headers })).status).toBe(204)
    const [receipt] = await source.receipts()
    expect(receipt.event_type).toBe('signed.by_key')
  })
})

describe('durability', () => {
  test('of many that come at once each is stored once, and one that cannot be fails alone', async () => {
    const { db } = world.platform.kernel
    await db.run(sql`
      create function public.refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.provider_event_id = 'evt_poison' then raise exception 'refused'; end if;
        return new;
      end $$`)
    await db.run(sql`
      create trigger poison before insert on webhooks.inbound_receipts
      for each row execute function public.refuse_poison()`)
    const sources = await Promise.all([openSource(world, 'stripe'), openSource(world, 'stripe')])
    const ids = Array.from({ length: 12 }, (_, index) => `evt_${index}`)
    const sendAll = (order: readonly string[]) =>
      sources.flatMap(source =>
        order.map(async id => {
          const signed = by.byStripe(source.signing(), by.stripeEvent(id))
          return `${id} ${(await source.send(signed)).status}`
        }),
      )
    // The same in both directions, so that commits meet in the middle.
    const answers = await Promise.all([
      ...sendAll([...ids, 'evt_poison']),
      ...sendAll(ids.toReversed()),
    ])
    await db.run(sql`drop trigger poison on webhooks.inbound_receipts`)
    const refused = ['evt_poison 500', 'evt_poison 500']
    expect(answers.filter(one => !one.endsWith(' 200'))).toEqual(refused)
    for (const source of sources) {
      const receipts = await source.receipts()
      expect(receipts).toHaveLength(ids.length)
      expect(new Set(receipts.map(row => row.provider_event_id))).toEqual(new Set(ids))
      for (const { payload_ref, provider_event_id: id } of receipts) {
        const { body } = await world.call('GET', payload_ref, source.owner)
        expect(body.body).toBe(by.stripeEvent(id))
      }
    }
  })

  test('an event tells the platform of each receipt, once', async () => {
    const source = await openSource(world, 'stripe')
    const signed = by.byStripe(source.signing())
    await source.send(signed)
    await source.send(signed)
    const [receipt] = await source.receipts()
    const heard = await eventually('it is in the log', async () => {
      const { body } = await world.call('GET', `/dev/events?aggregate_id=${receipt.id}`)
      return body.data.length > 0 && body.data
    })
    expect(heard).toMatchObject([
      { type: 'inbound_receipt.ignored', tenant_id: source.owner.tenant.id },
    ])
  })

  test('a source that cannot be looked up in time is no acknowledgement either', async () => {
    const source = await openSource(world, 'stripe')
    const signed = by.byStripe(source.signing())
    const client = new pg.Client({ connectionString: world.database_url })
    await client.connect()
    await client.query('begin; lock table webhooks.inbound_sources in access exclusive mode')
    const late = await source.send(signed)
    expect([late.status, late.body.code]).toEqual([503, 'service_unavailable'])
    await client.end()
    await eventually('it is stored', async () => (await source.send(signed)).status === 200)
  })

  test('what cannot be stored in time is not acknowledged, and comes again', async () => {
    const source = await openSource(world, 'stripe')
    const signed = by.byStripe(source.signing())
    const client = new pg.Client({ connectionString: world.database_url })
    await client.connect()
    await client.query('begin; lock table webhooks.inbound_receipts in share mode')
    const late = await source.send(signed)
    expect([late.status, late.body.code]).toEqual([503, 'service_unavailable'])
    expect(late.headers.get('retry-after')).toBe('1')
    await client.query('commit')
    await client.end()
    expect((await source.send(signed)).status).toBe(200)
    const { n } = await world.platform.kernel.db.one(
      Type.Object({ n: Type.Integer() }),
      sql`
        -- any tenant: the account is one test's
        select count(*)::int as n from webhooks.inbound_receipts
        where provider_account = ${source.address.split('/').at(-1)}`,
    )
    expect(n).toBe(1)
  })
})

/** `fetch` merges headers and waits for bodies; the plain client sends exactly what it is given. */
function sendPlain(source: TestSource, headers: string[], body: string | null): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(source.address, world.url),
      { method: 'POST', headers: ['host', 'x', ...headers] },
      answer => {
        answer.resume()
        sent.destroy()
        resolve(answer.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.flushHeaders()
    if (body !== null) sent.end(body)
  })
}
