/** The inbox by the client: what is new comes as it happens, and after a break nothing is missing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, type InboxEvent } from '../../client/src/index.ts'
import {
  openNotifyWorld,
  usual_data,
  type NotifyWorld,
} from '../../src/surfaces/notifications/test/notify-world.ts'

let world: NotifyWorld
beforeAll(async () => {
  world = await openNotifyWorld()
})
afterAll(() => world.close())

test('a stream of the inbox is continued where it was left', async () => {
  const who = await world.sender()
  const name = await world.template(who)
  const api = createClient({ base_url: world.url, token: who.token })
  const notify = (order: string) =>
    world.send(who, {
      recipient: { user_id: who.id },
      category: 'order.updates',
      template: { name },
      data: { ...usual_data, order },
      channels: ['in_app'],
    })
  const seen: InboxEvent[] = []
  let position: string | undefined
  for await (const event of api.notifications.inbox()) {
    seen.push(event)
    position = event.position
    if (event.type === 'unread' && event.count === 0) await notify('first')
    if (event.type === 'item') break
  }
  expect(seen.map(({ type }) => type)).toEqual(['unread', 'item'])
  await notify('second')
  const resumed = api.notifications.inbox(position === undefined ? {} : { resume: position })
  for await (const event of resumed) {
    if (event.type !== 'item') continue
    expect(event.item.title).toBe('Order second')
    break
  }
})

test('a stream that is left between items that were read together gets all of them', async () => {
  const who = await world.sender()
  const name = await world.template(who)
  const api = createClient({ base_url: world.url, token: who.token })
  for (const order of ['one', 'two', 'three']) {
    const sent = await world.send(who, {
      recipient: { user_id: who.id },
      category: 'order.updates',
      template: { name },
      data: { ...usual_data, order },
      channels: ['in_app'],
    })
    expect(sent.status, sent.text).toBe(202)
  }
  let position = ''
  for await (const event of api.notifications.inbox()) {
    position = event.position ?? ''
    break
  }
  await api.POST('/v1/inbox/read-all')
  for await (const event of api.notifications.inbox({ resume: position })) {
    position = event.position ?? ''
    if (event.type === 'updated') break
  }
  const updated = new Set<string>()
  for await (const event of api.notifications.inbox({ resume: position })) {
    if (event.type === 'updated') updated.add(event.id)
    if (updated.size === 3) break
  }
  expect(updated.size).toBe(3)
})

test('the stream ends with its signal, and throws what asking again would not change', async () => {
  const { token } = await world.member()
  const stop = new AbortController()
  const inbox = createClient({ base_url: world.url, token }).notifications.inbox({
    signal: stop.signal,
  })
  expect((await inbox.next()).value).toMatchObject({ type: 'unread', count: 0 })
  stop.abort()
  expect(await inbox.next()).toEqual({ done: true, value: undefined })
  const stranger = createClient({ base_url: world.url, token: 'nobody' })
  await expect(stranger.notifications.inbox().next()).rejects.toMatchObject({ status: 401 })
})
