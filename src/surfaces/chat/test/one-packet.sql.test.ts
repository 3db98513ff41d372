/** What a send writes in its one transaction: the message, its event and its push, or nothing. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually, newKey } from '../../../../test/world.ts'
import { events } from '../events.ts'
import { openChatWorld, type ChatWorld, type Talker } from './chat-world.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await openChatWorld({ CHAT_PUSH_GROUP_SECONDS: '0' })
})
afterAll(() => world.close())

const Written = Type.Object({
  payload: Type.Unknown(),
  schema_version: Type.Integer(),
  aggregate_version: Type.Integer(),
  traced: Type.Boolean(),
  written_by: Type.String(),
})

const createdIn = (id: string) =>
  world.platform.kernel.db.many(
    Written,
    sql`
      with written as (
        select id, aggregate_id, type, payload, schema_version, aggregate_version, traceparent,
          written_by from kernel.outbox_events
        union
        select id, aggregate_id, type, payload, schema_version, aggregate_version, traceparent,
          written_by from kernel.events)
      select payload, schema_version, aggregate_version, traceparent is not null as traced,
        written_by
      from written
      where aggregate_id = ${id} and type = 'message.created' order by aggregate_version`,
  )

test('the event is as it is declared, and names its trace and its route', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const { body: sent } = await ada.send(id, 'hello')
  const [event] = await createdIn(id)
  const { version, data } = events['message.created']
  expect(Value.Check(data, event?.payload)).toBe(true)
  expect(event).toEqual({
    payload: {
      conversation_id: id,
      message_id: sent.id,
      sequence: 1,
      sender_id: ada.id,
      version: 1,
    },
    schema_version: version,
    aggregate_version: sent.revision,
    traced: true,
    written_by: 'POST /v1/conversations/{id}/messages',
  })
})

test.each([
  ['push', sql`chat.pushes`, sql`false`],
  ['event', sql`kernel.outbox_events`, sql`type <> 'message.created'`],
] as const)('a send whose %s cannot be written stores nothing', async (_, table, holds) => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const { db } = world.platform.kernel
  const id = await ada.group([bob])
  const key = newKey()
  await db.run(sql`alter table ${table} add constraint broken check (${holds}) not valid`)
  const failed = await ada.send(id, 'hello', { key })
  await db.run(sql`alter table ${table} drop constraint broken`)
  expect(failed.status, failed.text).toBe(500)
  expect([(await ada.history(id)).data, await createdIn(id)]).toEqual([[], []])
  expect((await ada.send(id, 'hello', { key })).body.sequence).toBe(1)
  expect(await createdIn(id)).toHaveLength(1)
})

const Sent = Type.Object({ outcome: Type.String() })
const Waiting = Type.Object({ n: Type.Integer() })
const Push = Type.Object({ pushed_sequence: Type.Integer() })

test('a message that is committed while a push ends is pushed too', async () => {
  const [ada, away] = (await world.people(2)) as [Talker, Talker]
  const { db } = world.platform.kernel
  const id = await ada.group([away])
  await ada.send(id, 'one')
  // As another process would send it. It finds the push due, so it does not write the push.
  await db.tx(async tx => {
    const { outcome } = await tx.one(
      Sent,
      sql`
        select outcome from chat.append(
          p_tenant_ids => array[${ada.tenant.id}::uuid], p_conversation_ids => array[${id}::uuid],
          p_sender_ids => array[${ada.id}::uuid], p_message_ids => array[${newId()}::uuid],
          p_request_ids => array[${newKey()}::text], p_fingerprints => array[''::bytea],
          p_bodies => array[null::bytea], p_replies => array[null::bigint],
          p_attachments => array['{}'], p_event_ids => array[${newId()}::uuid],
          p_blocked => array[false], p_wait => true, p_push_delay => interval '2 s',
          p_push_group => interval '0', p_traceparent => null, p_written_by => null)`,
    )
    expect(outcome).toBe('accepted')
    await eventually('the end of the push waits for the conversation', async () => {
      const { n } = await tx.one(
        Waiting,
        sql`
          select count(*)::int as n from pg_locks
          where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
      )
      return n > 0
    })
  })
  await eventually('both are pushed', async () => {
    const push = await db.maybe(
      Push,
      sql`
        select pushed_sequence from chat.pushes
        where tenant_id = ${ada.tenant.id} and conversation_id = ${id} and due_at is null`,
    )
    return push?.pushed_sequence === 2
  })
})
