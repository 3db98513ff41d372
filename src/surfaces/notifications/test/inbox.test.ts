/** The inbox as a stream. */
import { createParser } from 'eventsource-parser'
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const ask = (who: Member, method: string, path: string, body?: unknown) =>
  world.call(method, path, {
    token: who.token,
    key: newKey(),
    ...(body === undefined ? {} : { body }),
  })

test('an inbox is a stream: what comes, what is read, and what was missed', async () => {
  const who = await world.sender()
  const name = await world.template(who)
  const tell = () =>
    world.send(who, {
      recipient: { user_id: who.id },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['in_app'],
    })
  await tell()
  const first = await openStream(who, null)
  await eventually('the count comes', () => first.events.some(one => one.event === 'inbox.unread'))
  await tell()
  const item = await eventually('the item comes', () =>
    first.events.find(one => one.event === 'inbox.item'),
  )
  first.close()
  await tell()
  const { body } = await ask(who, 'GET', '/v1/inbox')
  await ask(who, 'PATCH', `/v1/inbox/${body.data[2].id}`, { read: true })
  const second = await openStream(who, item.id ?? null)
  await eventually('what was missed comes', () =>
    second.events.some(one => one.event === 'inbox.updated'),
  )
  expect(second.events.filter(one => one.event === 'inbox.item')).toHaveLength(1)
  second.close()
  expect((await ask(who, 'GET', '/v1/inbox/unread-count')).body.unread_count).toBe(2)
  expect((await ask(who, 'POST', '/v1/inbox/read-all', {})).body).toEqual({
    read: 2,
    unread_count: 0,
  })
})

test('an inbox that has lost its last items is read again', async () => {
  const who = await world.sender()
  const sent = await world.send(who, {
    recipient: { user_id: who.id },
    category: 'order.updates',
    template: { name: await world.template(who) },
    data: usual_data,
    channels: ['in_app'],
  })
  expect(sent.status, sent.text).toBe(202)
  const stream = await openStream(who, null)
  await eventually('the count comes', () => stream.events.some(one => one.id === '1'))
  // A standby that lacks the item takes over.
  const { db } = world.platform.kernel
  await db.tx(async tx => {
    await tx.run(sql`delete from notifications.inbox_items where user_id = ${who.id}`)
    await tx.run(sql`update notifications.inboxes set last_sequence = 0 where user_id = ${who.id}`)
  })
  const reset = await eventually('it begins again', () =>
    stream.events.find(one => one.event === 'inbox.reset'),
  )
  expect(JSON.parse(reset.data)).toEqual({ sequence: 0 })
  stream.close()
})

async function openStream(who: Member, last: string | null) {
  const events: { event: string | undefined; data: string; id: string | undefined }[] = []
  const end = new AbortController()
  const response = await fetch(`${world.url}/v1/inbox`, {
    headers: {
      authorization: `Bearer ${who.token}`,
      accept: 'text/event-stream',
      ...(last === null ? {} : { 'last-event-id': last }),
    },
    signal: end.signal,
  })
  const parser = createParser({
    onEvent: ({ event, data, id }) => void events.push({ event, data, id }),
  })
  void (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk))
    } catch {
      // It was closed below.
    }
  })()
  return { events, close: () => end.abort() }
}
