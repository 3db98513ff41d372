/**
 * The feed as a stream: what happens in one's own tenant, as it happens, once, of the types that
 * the reader may read at that time.
 */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { serverEvents, type ServerEvent } from '../../../../../client/src/server-events.ts'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openGround } from '../../test/ground.ts'

const ground = await openGround({})
afterAll(() => ground.close())

const path = '/v1/webhook-events?types=account.verified'

type Watched = { came(): ServerEvent[]; ids(): unknown[]; ended: Promise<void>; stop(): void }

async function watch(who: Member, last?: string): Promise<Watched> {
  const stop = new AbortController()
  const answer = await fetch(ground.url + path, {
    headers: {
      authorization: `Bearer ${who.token}`,
      accept: 'text/event-stream',
      ...(last === undefined ? {} : { 'last-event-id': last }),
    },
    signal: stop.signal,
  })
  expect(answer.status).toBe(200)
  const came: ServerEvent[] = []
  const read = async () => {
    if (!answer.body) throw new Error('the stream has no body')
    for await (const event of serverEvents(answer.body)) came.push(event)
  }
  return {
    came: () => came,
    ids: () => came.map(one => (one.data as { id?: string }).id),
    ended: read().catch(() => {}),
    stop: () => stop.abort(),
  }
}

test('gives each event of the own tenant once, and goes on where a reader left', async () => {
  const [owner, other] = [await ground.owner(), await ground.owner()]
  const stream = await watch(owner)
  const foreign = await watch(other)
  const first = await ground.emit(owner, 3)
  await eventually('all have come', () => stream.came().length === 3)
  expect(new Set(stream.ids())).toEqual(new Set(first))
  stream.stop()
  await stream.ended
  const missed = await ground.emit(owner, 2)
  const again = await watch(owner, stream.came().at(-1)?.id)
  await eventually('what was missed has come', () => again.came().length === 2)
  expect(new Set(again.ids())).toEqual(new Set(missed))
  expect(foreign.came()).toEqual([])
  again.stop()
  foreign.stop()
})

test('ends when the reader may not read it any more', async () => {
  const { token, tenant } = await ground.owner()
  const owner = await ground.member(tenant)
  await ground.give(owner, 'tenant_admin')
  const stream = await watch(owner)
  const disabled = { token, body: { status: 'disabled' } }
  expect((await ground.call('PATCH', `/v1/accounts/${owner.id}`, disabled)).status).toBe(200)
  await ground.emit(owner)
  await stream.ended
  // Either check may come first: that of the credential, or that of the right.
  const ends = ['invalid_token', 'permission_denied']
  expect(ends).toContain(stream.came().at(-1)?.data['code'])
})

test('ends, and a list refuses its cursor, when the log has lost the events before the place', async () => {
  const owner = await ground.owner()
  const query = { token: owner.token }
  const stream = await watch(owner)
  await ground.emit(owner, 1)
  await eventually('it has come', () => stream.came().length === 1)
  const { body } = await ground.call('GET', path, query)
  const { db } = ground.platform.kernel
  const { end } = await db.one(
    Type.Object({ end: Type.Integer() }),
    sql`select max(position) - 1 as end from kernel.events where tenant_id = ${owner.tenant.id}`,
  )
  await db.tx(async tx => {
    await tx.run(sql`alter table kernel.events disable trigger append_only`)
    await tx.run(sql`delete from kernel.events where position > ${end}`)
    await tx.run(sql`update kernel.event_counter set position = ${end}`)
    await tx.run(sql`update kernel.event_consumers set position = least(position, ${end})`)
    await tx.run(sql`alter table kernel.events enable trigger append_only`)
  })
  await stream.ended
  expect(stream.came().at(-1)?.data['code']).toBe('invalid_cursor')
  const next = `${path}&cursor=${encodeURIComponent(body.next_cursor)}`
  const refused = await ground.call('GET', next, query)
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cursor'])
})

test('what one request caused is found by its id', async () => {
  const owner = await ground.owner()
  const since = new Date(Date.now() - 1000).toISOString()
  const made = await ground.call('POST', '/v1/links', {
    token: owner.token,
    body: { destination_url: 'https://example.com/found' },
  })
  const trace_id = made.headers.get('x-request-id')?.replaceAll('-', '')
  const found = await eventually('it is in the log', async () => {
    const query = `trace_id=${trace_id}&since=${since}`
    const { body } = await ground.call('GET', `/v1/webhook-events?${query}`, {
      token: owner.token,
    })
    return (body.data as { type: string }[]).length > 0 && body.data
  })
  expect((found as { type: string }[])[0]?.type).toBe('link.created')
})
