/** Preferences and unsubscribing. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const ask = (who: Member, method: string, path: string, body?: unknown, headers = {}) =>
  world.call(method, path, {
    token: who.token,
    key: newKey(),
    headers,
    ...(body === undefined ? {} : { body }),
  })

async function header(who: Member, more: object = {}) {
  const name = await world.template(who)
  return {
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: ['email'],
    ...more,
  }
}

test('preferences that two requests create at once are created by one of them', async () => {
  const who = await world.member()
  const { db } = world.platform.kernel
  const late = await db.tx(async tx => {
    await tx.run(sql`
      insert into notifications.preference_sets (tenant_id, user_id, timezone)
      values (${who.tenant.id}, ${who.id}, 'UTC')`)
    const body = { timezone: 'Europe/Berlin', preferences: [] }
    const asked = ask(who, 'PUT', `/v1/users/${who.id}/preferences`, body, { 'if-none-match': '*' })
    const waits = sql`
      select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%insert into notifications.preference_sets%'`
    await eventually('it waits for the row', async () => (await db.run(waits)) > 0)
    return { asked }
  })
  expect((await late.asked).status).toBe(412)
})

describe.concurrent('preferences', () => {
  test('switch a category off, hold what is quiet, and say why beforehand', async () => {
    const who = await world.sender()
    const name = await world.template(who)
    const path = `/v1/users/${who.id}/preferences`
    const set = (preferences: unknown[], timezone = 'Europe/Berlin') =>
      ask(who, 'PUT', path, { timezone, preferences })
    const off = await set([{ category: 'social.activity', channel: 'in_app', enabled: false }])
    expect(off.status, off.text).toBe(200)
    const order = { recipient: { user_id: who.id }, template: { name }, data: usual_data }
    const skipped = await world.send(who, {
      ...order,
      category: 'social.activity',
      channels: ['in_app'],
    })
    expect(skipped.body).toMatchObject({
      state: 'suppressed',
      channels: [{ reason: 'preference_disabled' }],
    })
    const why = await ask(who, 'POST', '/v1/notifications/explain', {
      ...order,
      category: 'social.activity',
      channels: ['in_app'],
    })
    expect(why.body.channels).toMatchObject([{ decision: 'skip' }])
    // It is quiet for all hours but one, which is not now.
    const hour = new Date().getUTCHours()
    const clock = (value: number) => `${String((value + 24) % 24).padStart(2, '0')}:00`
    const quiet_hours = { start: clock(hour - 1), end: clock(hour - 2) }
    await set([{ category: '*', channel: '*', enabled: true, quiet_hours }], 'UTC')
    await ask(who, 'POST', `/v1/users/${who.id}/destinations`, {
      channel: 'push',
      provider: 'fcm',
      token: newId(),
    })
    const asleep = await ask(who, 'POST', '/v1/notifications/explain', {
      ...order,
      category: 'social.activity',
      channels: ['sms'],
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    expect(asleep.body.channels[0].because).toEqual([
      'There is no verified destination for this channel.',
      'Quiet hours end after it expires.',
    ])
    const held = await world.send(who, {
      ...order,
      category: 'social.activity',
      channels: ['push'],
    })
    const found = await world.reaches(who, held.body.id, 'held')
    expect(found.decisions).toMatchObject([{ rule: 'quiet_hours', outcome: 'hold' }])
    const urgent = await world.send(who, {
      ...order,
      category: 'social.activity',
      channels: ['push'],
      priority: 'critical',
    })
    await world.reaches(who, urgent.body.id, 'sent')
    // Quiet hours that are taken back release what waits for them.
    await set([])
    await world.reaches(who, held.body.id, 'sent')
  })

  test('that end quiet hours release one channel of a message whose other channel has sent', async () => {
    const who = await world.sender()
    const path = `/v1/users/${who.id}`
    const hour = new Date().getUTCHours()
    const clock = (value: number) => `${String((value + 24) % 24).padStart(2, '0')}:00`
    const quiet_hours = { start: clock(hour - 1), end: clock(hour - 2) }
    const quiet = [{ category: '*', channel: 'push', enabled: true, quiet_hours }]
    const set = (preferences: unknown[]) =>
      ask(who, 'PUT', `${path}/preferences`, { timezone: 'UTC', preferences })
    expect((await set(quiet)).status).toBe(200)
    for (const more of [
      { channel: 'push', provider: 'fcm', token: newId() },
      { channel: 'sms', address: '+4930901820' },
    ]) {
      const made = await ask(who, 'POST', `${path}/destinations`, more)
      expect(made.status, made.text).toBe(201)
    }
    const sent = await world.send(who, {
      ...(await header(who, { category: 'social.activity', channels: ['sms', 'push'] })),
      recipient: { user_id: who.id },
    })
    await eventually('the SMS has left', async () => {
      const { channels } = await world.read(who, sent.body.id)
      return channels.some((one: { state: string }) => one.state === 'accepted')
    })
    await set([])
    await world.reaches(who, sent.body.id, 'sent')
  })

  test('that change between accept and send count', async () => {
    const who = await world.sender()
    const sent = await world.send(who, {
      ...(await header(who, { category: 'social.activity', channels: ['in_app'] })),
      recipient: { user_id: who.id },
      scheduled_at: new Date(Date.now() + 1500).toISOString(),
    })
    expect(sent.body.state, sent.text).toBe('scheduled')
    const preferences = [{ category: 'social.activity', channel: '*', enabled: false }]
    await ask(who, 'PUT', `/v1/users/${who.id}/preferences`, { timezone: 'UTC', preferences })
    const found = await world.reaches(who, sent.body.id, 'suppressed')
    expect(found.decisions).toMatchObject([{ rule: 'preference', outcome: 'skip' }])
  })

  test.each([
    [{ timezone: 'Mars/Olympus', preferences: [] }, 'invalid_timezone'],
    [
      {
        timezone: 'UTC',
        preferences: [
          {
            category: '*',
            channel: '*',
            enabled: true,
            quiet_hours: { start: '07:00', end: '07:00' },
          },
        ],
      },
      'invalid_quiet_hours',
    ],
    [
      {
        timezone: 'UTC',
        preferences: [{ category: 'order.updates', channel: '*', enabled: false }],
      },
      'category_mandatory',
    ],
    [
      {
        timezone: 'UTC',
        preferences: [{ category: 'social.actvity', channel: '*', enabled: false }],
      },
      'unknown_category',
    ],
    [
      {
        timezone: 'UTC',
        preferences: [
          { category: '*', channel: '*', enabled: true },
          { category: '*', channel: '*', enabled: false },
        ],
      },
      'duplicate_preference',
    ],
  ])('%j are refused with %s', async (body, code) => {
    const who = await world.member()
    expect((await ask(who, 'PUT', `/v1/users/${who.id}/preferences`, body)).body.code).toBe(code)
  })
})

test('unsubscribing is one POST, for one category; a scanner changes nothing', async () => {
  const who = await world.sender()
  const category = `news_${newId().slice(-8)}`
  await ask(who, 'PUT', `/v1/notification-categories/${category}`, {
    class: 'marketing',
    default_channels: ['email'],
  })
  const { email } = who
  const send = async (of: string) =>
    (await world.send(who, { ...(await header(who, { category: of })), recipient: { email } })).body
  await world.reaches(who, (await send(category)).id, 'sent')
  const mail = (await world.messages(email)).find(one => 'list-unsubscribe' in one.headers)
  if (!mail) throw new Error('no mail can be unsubscribed from')
  expect(mail.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  const link = /<(.*)>/.exec(mail.headers['list-unsubscribe'])?.[1] ?? ''
  const path = new URL(link).pathname
  expect((await world.call('GET', path)).text).toContain('<button')
  await world.reaches(who, (await send(category)).id, 'sent')
  const post = (to: string) =>
    world.call('POST', to, {
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  expect((await post(path)).status).toBe(200)
  expect((await post(path)).status).toBe(200)
  expect((await post(`${path.slice(0, -2)}xx`)).status).toBe(404)
  expect((await send(category)).state).toBe('suppressed')
  await world.reaches(who, (await send('order.updates')).id, 'sent')
  // What concerns the account still arrives.
  const body = { email, tenant: who.tenant.slug }
  expect((await world.call('POST', '/v1/password-reset-requests', { body })).status).toBe(202)
  await eventually('the reset arrives', async () =>
    (await world.messages(email)).some(one => one.subject === 'Set a new password'),
  )
})

test('the mail of an invitation leads to its page, and asks for no code', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin')
  const email = `guest-${newId()}@example.test`
  const body = { email, locale: 'de' }
  const { status, text } = await ask(admin, 'POST', '/v1/organization/invitations', body)
  expect(status, text).toBe(202)
  await eventually('it arrives', async () => (await world.messages(email)).length === 1)
  const [{ id, subject }] = await world.messages(email)
  expect(subject).toBe('Sie sind in eine Organisation eingeladen')
  const whole = await world.call('GET', `/dev/inbox/messages/${id}`)
  expect(whole.text).toContain('/account/organizations')
  expect(whole.text).not.toContain('diesen Code')
})
