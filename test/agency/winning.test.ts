/** Deal, payment, room, message, notice and job of one commit: all of them or none. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually, killed, newKey, type Member, type World } from '../../src/testing/entry.ts'
import { openAgency } from './agency-world.ts'

let world: World
beforeAll(async () => {
  world = await openAgency()
})
afterAll(() => world.close())

async function deal(owner: Member, client: Member): Promise<string> {
  const body = { title: 'A house', amount_minor: 250_000, client_id: client.id }
  const made = await world.call('POST', '/v1/deals', { token: owner.token, key: newKey(), body })
  expect(made.status).toBe(201)
  return made.body.id as string
}

const win = (id: string, { token }: Member, key = newKey(), call = world.call) =>
  call('POST', `/v1/deals/${id}/win`, { token, key })

const Counts = Type.Object({ what: Type.String(), many: Type.Integer() })

/** What there is of the deal in each surface, once its events are in the log. */
async function found(id: string): Promise<Record<string, number>> {
  const rows = await world.db.many(
    Counts,
    sql`
      select 'deal' as what, count(*)::int as many from agency.deals where id = ${id} and state = 'won'
      union all select 'payment', count(*)::int from payments.payment_intents where id = ${id}
      union all select 'room', count(*)::int from chat.conversations where id = ${id}
      union all select 'message', count(*)::int from chat.messages where conversation_id = ${id}
      union all select 'notice', count(*)::int from notifications.notification_intents
        where idempotency_key = ${`agency:${id}`}
      union all select 'job', count(*)::int from jobs.jobs where id = ${id}
      union all select 'event', count(*)::int from (
        select type from kernel.outbox_events where aggregate_id = ${id}
        union select type from kernel.events where aggregate_id = ${id}) e
        where type in ('deal.changed', 'payment.created', 'conversation.created', 'message.created')`,
  )
  return Object.fromEntries(rows.map(({ what, many }) => [what, many]))
}

const all = { deal: 1, payment: 1, room: 1, message: 1, notice: 1, job: 1, event: 4 }
const none = { deal: 0, payment: 0, room: 0, message: 0, notice: 0, job: 0, event: 0 }

test('a deal that is won is seen in all surfaces, and its plan is made', async () => {
  const owner = await world.member()
  const client = await world.member(owner.tenant)
  await world.db.run(sql`
    update identity.accounts set verified_at = kernel.now()
    where tenant_id = ${client.tenant.id} and id = ${client.id}`)
  const id = await deal(owner, client)
  expect(await found(id)).toEqual(none)
  const answers = await Promise.all(Array.from({ length: 5 }, () => win(id, owner)))
  expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409, 409,
  ])
  expect(await found(id)).toEqual(all)
  const room = await world.call('GET', `/v1/conversations/${id}`, { token: client.token })
  expect(room.body).toMatchObject({ title: 'A house', member_count: 3, latest_sequence: 1 })
  const { body: messages } = await world.call('GET', `/v1/conversations/${id}/messages`, {
    token: client.token,
  })
  expect(messages.data).toMatchObject([{ body: 'We begin: A house' }])
  const { body: inbox } = await world.call('GET', '/v1/inbox', { token: client.token })
  expect(inbox.data).toMatchObject([{ category: 'agency.deals', title: 'We begin' }])
  const mails = await world.inbox(client.email, 2)
  expect(mails.map(one => one.subject)).toContain('We begin: A house')
  await eventually('the plan is made', async () => {
    const { body } = await world.call('GET', `/v1/deals/${id}`, { token: owner.token })
    return body.planned === true
  })
})

test('a face that refuses takes all of the commit with it, if the code lets it', async () => {
  const [owner, stranger] = [await world.member(), await world.member()]
  const id = await deal(owner, stranger)
  const refused = await win(id, owner)
  expect([refused.status, refused.body.code]).toEqual([422, 'member_unknown'])
  expect(await found(id)).toEqual(none)
})

test.each([
  ['kernel.before_commit', none],
  ['kernel.after_commit', all],
])('killed at %s: all or none, and the same key then wins it once', async (point, left) => {
  const owner = await world.member()
  const client = await world.member(owner.tenant)
  const id = await deal(owner, client)
  const key = newKey()
  world = await killed(world, point, victim => win(id, owner, key, victim.call))
  expect(await found(id)).toEqual(left)
  expect((await win(id, owner, key)).status).toBe(200)
  expect(await found(id)).toEqual(all)
})

test('the client sees the deal in the export, and is nowhere in it after the erasure', async () => {
  const owner = await world.member()
  const client = await world.member(owner.tenant)
  await world.give(owner, 'tenant_admin')
  const id = await deal(owner, client)
  await win(id, owner)
  const { body, text } = await world.call('GET', '/v1/me/export', { token: client.token })
  expect(JSON.stringify(body ?? text)).toContain('deal_with')
  const { status } = await world.call('DELETE', `/v1/accounts/${client.id}`, { token: owner.token })
  expect(status).toBeLessThan(300)
  await eventually('nothing names the client', async () => {
    const left = await world.db.many(
      Counts,
      sql`
        select 'deal' as what, count(*)::int as many from agency.deals where client_id = ${client.id}
        union all select 'payment', count(*)::int from payments.payment_intents
          where created_by = ${client.id}
        union all select 'item', count(*)::int from notifications.inbox_items
          where user_id = ${client.id}
        union all select 'notice', count(*)::int from notifications.notification_inputs
          where owner_id = ${client.id}
        union all select 'member', count(*)::int from chat.conversation_members
          where user_id = ${client.id} and left_sequence is null`,
    )
    return left.every(({ many }) => many === 0)
  })
  expect((await found(id)).deal).toBe(1)
})
