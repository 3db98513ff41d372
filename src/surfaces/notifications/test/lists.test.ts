/** Who finds which notifications and batches, how, and that an export obeys the rights of each moment. */
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { newKey } from '../../../../test/world.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const path = '/v1/notifications'
const read = 'notifications.intents.read'
const accept = { accept: 'text/csv' }

const get = (who: Member, at: string, headers = {}) =>
  world.call('GET', at, { token: who.token, headers })

async function idsOf(who: Member, at: string): Promise<string[]> {
  const { status, body } = await get(who, at)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map((one: { id: string }) => one.id)
}

async function scheduled(who: Member, category: string, recipient: object) {
  const template = { name: await world.template(who) }
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const channels = ['email', 'push']
  const asked = { recipient, category, template, data: usual_data, channels, scheduled_at }
  const { status, text, body } = await world.send(who, asked)
  expect(status, text).toBe(202)
  return body
}

const of_orders = 'category=order.updates'

test('notifications are found by recipient, state, time and id, as one that is read alone', async () => {
  const [who, other] = [await world.sender(), await world.sender()]
  const mail = await scheduled(who, 'order.updates', { email: newAddress() })
  const person = await scheduled(who, 'order.updates', { user_id: who.id })
  const foreign = await scheduled(other, 'order.updates', { email: newAddress() })
  const { data } = (await get(who, `${path}?${of_orders}`)).body
  const alone = await world.read(who, person.id)
  const { attempts: _attempts, events: _events, decisions: _decisions, ...view } = alone
  expect(data).toEqual([view, mail])
  expect(view).toEqual(person)
  expect(await idsOf(who, `${path}?user_id=${who.id}&${of_orders}`)).toEqual([person.id])
  expect(await idsOf(who, `${path}?${of_orders}&until=${person.created_at}`)).toEqual([mail.id])
  expect(await idsOf(who, `${path}?${of_orders}&since=${person.created_at}`)).toEqual([person.id])
  expect(await idsOf(who, `${path}?state=sent&${of_orders}`)).toEqual([])
  expect(await idsOf(who, `${path}?find=${mail.id}`)).toEqual([mail.id])
  expect(await idsOf(who, `${path}?find=${foreign.id}`)).toEqual([])
})

test('a reader sees the categories of their permissions, also as CSV', async () => {
  const who = await world.sender()
  const reader = await world.member(who.tenant)
  expect((await get(reader, path)).status).toBe(403)
  await world.allow(reader, `${read}:order.updates`)
  const order = await scheduled(who, 'order.updates', { email: newAddress() })
  const social = await scheduled(who, 'social.activity', { email: newAddress() })
  expect(await idsOf(reader, path)).toEqual([order.id])
  expect(await idsOf(reader, `${path}?find=${social.id}`)).toEqual([])
  expect(await idsOf(reader, `${path}?category=social.activity`)).toEqual([])
  const { status, text } = await get(reader, path, accept)
  expect(status, text).toBe(200)
  const [header, line, end] = text.replace('\u{feff}', '').split('\r\n')
  expect(header).toMatch(/^id,status,tenant_id,recipient_ref,category,priority,.*,channels$/)
  expect(line).toContain(`${order.id},scheduled,`)
  expect(end).toBe('')
  expect((await get(who, path, accept)).text).toContain(social.id)
})

test('an export shows nothing more of a category whose permission ends meanwhile', async () => {
  const reader = await world.member()
  await world.give(reader, 'notification_sender')
  await world.allow(reader, `${read}:order.updates`)
  const { db } = world.platform.kernel
  const { administration } = world.identity
  const { id: tenant_id } = reader.tenant
  // More than the reader's connection can hold.
  const ids = Array.from({ length: 8000 }, newId)
  await db.run(sql`
    insert into notifications.notification_intents (tenant_id, id, recipient_ref, category, priority,
      template_version, state, expires_at, metadata)
    select ${tenant_id}, r.id, 'mail:' || r.id,
      case r.n % 2 when 0 then 'order.updates' else 'social.activity' end, 'normal', 't@1', 'sent',
      kernel.now() + interval '1 day', jsonb_build_object('note', repeat('x', 4000))
    from unnest(${ids}::uuid[]) with ordinality r (id, n)`)
  const reply = await fetch(world.url + path, {
    headers: { ...accept, authorization: `Bearer ${reader.token}` },
  })
  expect(reply.status).toBe(200)
  const person = { tenant: reader.tenant.slug, account: reader.id }
  expect(await administration.revoke(person, 'notification_sender', 'test')).toBe(true)
  const text = await reply.text()
  const count = (category: string) => text.split(`,${category},`).length - 1
  expect(count('order.updates')).toBe(4000)
  expect(count('social.activity')).toBeLessThan(4000)
})

test('batches are listed once they are sent, of the categories that one may send', async () => {
  const who = await world.sender()
  const at = `${path}/batches`
  const send = async (category: string) => {
    const body = {
      category,
      template: { name: await world.template(who) },
      channels: ['email'],
      data: usual_data,
      recipients: [{ recipient: { email: newAddress() } }],
    }
    const made = await world.call('POST', at, { token: who.token, key: newKey(), body })
    expect(made.status, made.text).toBe(202)
    return made.body
  }
  const [order, social] = [await send('order.updates'), await send('social.activity')]
  await world.platform.kernel.db.run(sql`
    insert into notifications.notification_batches
      (tenant_id, id, principal_id, state, category, priority, lane, template_version, emit_events)
    values (${who.tenant.id}, ${newId()}, ${who.id}, 'expanding', 'order.updates', 'bulk', 3, 't@1',
      false)`)
  expect(await idsOf(who, at)).toEqual([social.id, order.id])
  expect(await idsOf(who, `${at}?until=${social.created_at}`)).toEqual([order.id])
  expect(await idsOf(who, `${at}?category=social.activity`)).toEqual([social.id])
  expect(await idsOf(who, `${at}?state=cancelled`)).toEqual([])
  const { counts: _counts, eta_seconds: _eta, rejected: _rejected, ...summary } = order
  const [found] = (await get(who, `${at}?find=${order.id}`)).body.data
  const { state, status, completed_at, ...facts } = found
  expect({ ...summary, ...facts }).toEqual(summary)
  expect(state).toBe(status)
  expect(completed_at === null).toBe(state !== 'completed')
  const colleague = await world.member(who.tenant)
  expect((await get(colleague, at)).status).toBe(403)
  await world.allow(colleague, 'notifications.batches.send:order.updates')
  expect(await idsOf(colleague, at)).toEqual([order.id])
  expect(await idsOf(await world.sender(), at)).toEqual([])
  const { text } = await get(colleague, at, accept)
  const [header, line] = text.replace('\u{feff}', '').split('\r\n')
  expect(header).toBe(
    'id,status,state,category,template_version,total,duplicates,rejected_count,created_at,completed_at',
  )
  expect(line).toContain(`,order.updates,${order.template_version},1,0,0,`)
})
