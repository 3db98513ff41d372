/** A body that arrives slowly: its sender may lose the account meanwhile, and then writes nothing. */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { openProductWorld } from './product-world.ts'
import { newKey } from './world.ts'

const world = await openProductWorld({})
afterAll(() => world.close())

/** Longer than the platform takes a body for a usual one. */
const slow_ms = 1200

async function sendSlowly(token: string, path: string, body: object, meanwhile: () => unknown) {
  const bytes = Buffer.from(JSON.stringify(body))
  const sent = request(`${world.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      'idempotency-key': newKey(),
      expect: '100-continue',
    },
  })
  sent.flushHeaders()
  // The sender is known from now on.
  await once(sent, 'continue')
  sent.write(bytes.subarray(0, 5))
  await Promise.all([meanwhile(), pause(slow_ms)])
  sent.end(bytes.subarray(5))
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: reply.statusCode, text: await text(reply) }
}

const Count = Type.Object({ n: Type.Integer() })

test('a person who was erased while a body arrived leaves nothing more', async () => {
  const { id, token } = await world.member()
  const body = { body: 'written while the account was erased' }
  const { status, text: said } = await sendSlowly(token, '/v1/posts', body, async () => {
    expect((await world.call('DELETE', `/v1/accounts/${id}`, { token })).status).toBe(204)
  })
  expect([status, said.includes('invalid_token')]).toEqual([401, true])
  const { n } = await world.platform.kernel.db.one(
    Count,
    sql`select count(*)::int as n from social.posts where author_id = ${id}`,
  )
  expect(n).toBe(0)
})

test('a slow body of a session that goes on is accepted', async () => {
  const { token } = await world.member()
  const { status, text: said } = await sendSlowly(token, '/v1/posts', { body: 'slow' }, () => {})
  expect(status, said).toBe(201)
})
