/** Messages that are collected, and messages that are sent only once in a window. */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { announced } from '../../identity/test/announced.ts'
import { openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld({})
afterAll(() => world.close())

const ask = (who: Member, method: string, path: string, body?: unknown) =>
  world.call(method, path, {
    token: who.token,
    key: newKey(),
    ...(body === undefined ? {} : { body }),
  })

test.each([
  ['at once', {}],
  ['at a time', { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }],
  ['in a digest', { digest: { key: 'd', window_seconds: 3600 } }],
])('what is sent %s with a key of the window is suppressed', async (_when, more) => {
  const who = await world.sender()
  const order = {
    category: 'order.updates',
    template: { name: await world.template(who) },
    data: usual_data,
    channels: ['in_app'],
    recipient: { user_id: who.id },
    ...more,
    dedupe: { key: 'k', window_seconds: 3600 },
  }
  const first = await world.send(who, order)
  expect(first.body.state, first.text).not.toBe('suppressed')
  const second = await world.send(who, order)
  expect(second.body).toMatchObject({
    state: 'suppressed',
    channels: [{ channel: 'in_app', state: 'skipped', reason: 'deduplicated' }],
  })
})

test('a message is collected or scheduled, not both, and an explanation says which', async () => {
  const who = await world.sender()
  const order = {
    recipient: { user_id: who.id },
    category: 'order.updates',
    template: { name: await world.template(who) },
    data: usual_data,
    channels: ['in_app'],
    digest: { key: 'd', window_seconds: 3600 },
  }
  const explained = await ask(who, 'POST', '/v1/notifications/explain', order)
  expect(explained.body.channels).toMatchObject([
    { channel: 'in_app', decision: 'hold', because: [expect.stringContaining('collected')] },
  ])
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
  const both = { ...order, scheduled_at }
  for (const refused of [
    await world.send(who, both),
    await ask(who, 'POST', '/v1/notifications/explain', both),
  ]) {
    expect(refused.status, refused.text).toBe(422)
    expect(refused.body.errors).toMatchObject([{ pointer: '/scheduled_at' }])
  }
})

// It moves the clock, so it is alone.
test('a digest gathers what comes in its window; two hundred at its end are in exactly one each', async () => {
  const who = await world.sender()
  const texts = {
    in_app: { title: '{{ total }} new', body: '{% for e in events %}{{ e.n }},{% endfor %}' },
  }
  const name = await world.template(who, texts)
  const order = (n: number) => ({
    recipient: { user_id: who.id },
    category: 'order.updates',
    template: { name },
    data: { n },
    channels: ['in_app'],
    digest: { key: 'k', window_seconds: 60 },
  })
  const send = async (n: number, key = newKey()): Promise<Answer> => {
    const answer = await world.send(who, order(n), key)
    // Two hundred at once are more than one process takes.
    return answer.status === 503 ? send(n, key) : answer
  }
  const add = (from: number) => Promise.all(Array.from({ length: 100 }, (_, n) => send(from + n)))
  const clock = (offset_seconds: number) =>
    world.call('POST', '/dev/clock', { body: { offset_seconds } })
  // The window ends while they come: what is late begins another digest.
  const first = add(0)
  await eventually('a digest is open', async () => {
    const { body } = await ask(who, 'GET', '/v1/notifications?state=held&limit=1')
    return body.data.length > 0
  })
  const [early, , late] = await Promise.all([first, clock(61), add(100)])
  const sent = [...early, ...late]
  expect(new Set(sent.map(one => one.status))).toEqual(new Set([202]))
  await clock(122)
  const ids = sent.map(one => one.body.id as string)
  for (const id of ids) await world.reaches(who, id, 'delivered')
  await clock(0)
  const { body } = await ask(who, 'GET', '/v1/inbox?limit=100')
  const titles = (body.data as { title: string }[]).map(one => Number.parseInt(one.title, 10))
  expect(titles.reduce((sum, total) => sum + total, 0)).toBe(200)
  const digests = await Promise.all(ids.map(async id => (await world.read(who, id)).digest_id))
  expect(new Set(digests).size).toBe(titles.length)
})

// It moves the clock, so it is alone.
test('an order that waits in a digest can be cancelled, and ends with its erased recipient', async () => {
  const who = await world.sender()
  const leaver = await world.member(who.tenant)
  const texts = {
    in_app: { title: '{{ total }} new', body: '{% for e in events %}{{ e.n }},{% endfor %}' },
  }
  const template = { name: await world.template(who, texts) }
  const send = async (n: number, user_id: string) => {
    const digest = { key: 'k', window_seconds: 60 }
    const order = { category: 'order.updates', template, channels: ['in_app'], digest }
    const sent = await world.send(who, { ...order, recipient: { user_id }, data: { n } })
    expect(sent.body.state, sent.text).toBe('held')
    return sent.body.id as string
  }
  const cancel = async (id: string) =>
    (await ask(who, 'POST', `/v1/notifications/${id}/cancel`, {})).body
  const [first, second] = [await send(1, who.id), await send(2, who.id)]
  const erased = await send(3, leaver.id)
  expect(await cancel(first)).toEqual({ id: first, state: 'cancelled', effect: 'full' })
  expect(await announced(world, 'notification.cancelled', first)).toMatchObject([
    { intent_id: first, channels: ['in_app'] },
  ])
  const path = `/v1/accounts/${leaver.id}`
  expect((await world.call('DELETE', path, { token: leaver.token })).status).toBe(204)
  await world.reaches(who, erased, 'cancelled')
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 61 } })
  await world.reaches(who, second, 'delivered')
  await world.call('POST', '/dev/clock', { body: { offset_seconds: 0 } })
  expect((await world.read(who, first)).state).toBe('cancelled')
  const { body } = await ask(who, 'GET', '/v1/inbox')
  expect(body.data).toMatchObject([{ title: '1 new', body: '2,' }])
})
