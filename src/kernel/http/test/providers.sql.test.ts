/**
 * Reports of providers: the signature is verified over the raw bytes, and a repeat changes nothing.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signReport } from '../../../../test/surfaces/relay/receive-report.ts'
import { openWorld, type World } from '../../../../test/world.ts'
import { newId } from '../../ids.ts'

let world: World
let admin: pg.Client
beforeAll(async () => {
  world = await openWorld({})
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

function signed(body: string, id: string, age_seconds = 0): Record<string, string> {
  return signReport(body, id, world.platform.kernel.clock.nowSeconds() - age_seconds)
}

const report = (body: string, headers: Record<string, string>, provider = 'vendor') =>
  world.call('POST', `/v1/providers/${provider}/webhooks`, { body, headers })

async function stored(id: string): Promise<number> {
  const { rows } = await admin.query<{ n: number }>(
    'select count(*)::int as n from relay.reports where event_id = $1',
    [id],
  )
  return rows[0]?.n ?? 0
}

describe('a report', () => {
  test('is stored once, however often it comes, in whatever media type', async () => {
    const id = newId()
    const body = '{"any":  "bytes"}'
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await report(body, { ...signed(body, id), 'content-type': type })
      expect([answer.status, answer.text]).toEqual([204, ''])
    }
    expect(await stored(id)).toBe(1)
  })

  test('is refused when a byte differs, when it is old, and from an unknown sender', async () => {
    const id = newId()
    const changed = await report('{"a": 1}', signed('{"a":1}', id))
    expect([changed.status, changed.body.code]).toEqual([401, 'signature_invalid'])
    const old = await report('{}', signed('{}', id, 301))
    expect([old.status, old.body.code]).toEqual([401, 'timestamp_out_of_window'])
    expect((await report('{}', {})).body.code).toBe('signature_invalid')
    const stranger = await report('{}', signed('{}', id), 'nobody')
    expect([stranger.status, stranger.body.code]).toEqual([404, 'provider_not_found'])
    expect(await stored(id)).toBe(0)
  })
})

describe('a batch', () => {
  const path = '/v1/providers/vendor_batches/webhooks?part=1'
  const send = (body: string, headers: Record<string, string> = {}) =>
    world.call('POST', path, {
      body,
      headers: {
        ...signed(body, newId()),
        'x-addressed-to': `http://dodeca.test${path}`,
        ...headers,
      },
    })

  test('holds several events, each stored once, and is answered with a body', async () => {
    const [first, second, third] = [newId(), newId(), newId()]
    const answer = await send(JSON.stringify([first, second]))
    expect([answer.status, answer.body]).toEqual([200, { received: true }])
    expect((await send(JSON.stringify([second, third]))).status).toBe(200)
    expect(await Promise.all([first, second, third].map(stored))).toEqual([1, 1, 1])
  })

  test('is refused when it cannot be read, is too large, or was sent elsewhere', async () => {
    const unreadable = await send('[')
    expect([unreadable.status, unreadable.body.code]).toEqual([400, 'envelope_invalid'])
    for (const id of ['a\0b', 'a\ud800b']) {
      const unstorable = await send(JSON.stringify([newId(), id]))
      expect([unstorable.status, unstorable.body.code]).toEqual([400, 'envelope_invalid'])
    }
    const large = await send(JSON.stringify(['x'.repeat(1000)]))
    expect([large.status, large.body.code]).toEqual([413, 'content_too_large'])
    const elsewhere = await send('[]', { 'x-addressed-to': 'http://elsewhere.test/' })
    expect([elsewhere.status, elsewhere.body.code]).toEqual([401, 'signature_invalid'])
  })
})

test('only refused messages count against a network', async () => {
  const limited = await openWorld({
    KERNEL_THROTTLE_LOOPBACK: 'true',
    KERNEL_RATE_FACTOR: '1',
    KERNEL_RATE_WEBHOOK_IN_PER_MINUTE: '5',
  })
  try {
    const send = (headers: Record<string, string>) =>
      limited.call('POST', '/v1/providers/vendor/webhooks', { body: '{}', headers })
    for (let i = 0; i < 12; i++) expect((await send(signed('{}', newId()))).status).toBe(204)
    const refused: number[] = []
    for (let i = 0; i < 12; i++) refused.push((await send({})).status)
    expect(refused.filter(status => status === 401).length).toBeLessThanOrEqual(6)
    expect(refused.at(-1)).toBe(429)
    // Whose messages were refused too often is not heard for a while, whatever it sends.
    const known = await send(signed('{}', newId()))
    expect([known.status, known.headers.get('retry-after')]).toEqual([429, expect.anything()])
  } finally {
    await limited.close()
  }
})
