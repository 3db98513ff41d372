/** Reports of providers: whose they are is proven over the raw bytes, and a repeat changes nothing. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { report_secret } from '../../../../test/surfaces/relay/receive-report.ts'
import { openWorld, type World } from '../../../../test/world.ts'
import { newId } from '../../ids.ts'
import { parseStandardSecret, signStandard } from '../../outgoing/signatures.ts'

let world: World
let admin: pg.Client
beforeAll(async () => {
  world = await openWorld()
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

function signed(body: string, id: string, age_seconds = 0): Record<string, string> {
  const secret = parseStandardSecret(report_secret)
  if (!secret) throw new Error('the secret is malformed')
  const timestamp_seconds = world.platform.kernel.clock.nowSeconds() - age_seconds
  return { ...signStandard({ id, timestamp_seconds, body: Buffer.from(body), secrets: [secret] }) }
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

  test('is refused when a byte differs, when it is old, and from nobody', async () => {
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
