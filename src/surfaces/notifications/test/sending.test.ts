/** From a template to a mailbox over HTTP: keys, doubts, reports in disorder, and what changes in between. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import type { Inside } from '../face.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const orderMail = (name: string, email: string) => ({
  recipient: { email },
  category: 'order.updates',
  template: { name },
  data: usual_data,
  channels: ['email'],
})

async function mailTo(who: Member, email: string, more: object = {}, texts?: object) {
  const name = await world.template(who, texts)
  const sent = await world.send(who, { ...orderMail(name, email), ...more })
  expect(sent.status, sent.text).toBe(202)
  return sent.body.id as string
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

const report = async (id: string, body: object) =>
  (await world.call('POST', `/dev/inbox/messages/${id}/outcome`, { body })).body.status as number

describe.concurrent('a notification', () => {
  test('goes from template to mailbox, with its attempts in its history', async () => {
    const who = await world.shared()
    const name = await world.template(who)
    const email = newAddress()
    const sent = await world.send(who, orderMail(name, email))
    expect(sent.status, sent.text).toBe(202)
    expect(sent.headers.get('location')).toBe(`/v1/notifications/${sent.body.id}`)
    expect(sent.body).toMatchObject({
      state: 'queued',
      status: 'queued',
      category: 'order.updates',
      template_version: `${name}@1`,
      channels: [{ channel: 'email', state: 'pending', reason: null }],
    })
    const found = await world.reaches(who, sent.body.id, 'sent')
    expect(found.attempts).toHaveLength(1)
    expect(found.attempts[0]).toMatchObject({
      channel: 'email',
      provider: 'dev_mail',
      attempt_no: 1,
      state: 'accepted',
      error_code: null,
    })
    const [mail] = await world.messages(email)
    expect(mail).toMatchObject({ subject: 'Hello Ada', ref: `${sent.body.id}.email` })
    expect(mail.html).toContain('<h1>Hello Ada</h1>')
    expect(mail.text).toContain('Your order A-17 is here.')
    const path = `/v1/notifications/${sent.body.id}/rendered?channel=email`
    const rendered = await world.call('GET', path, { token: who.token })
    expect(rendered.body.html).toBe(mail.html.trimEnd())
    expect(rendered.body.sha256).toBe(found.attempts[0].rendered_sha256)
  })

  test('to a user reaches the in-app inbox with the answer', async () => {
    const who = await world.shared()
    const name = await world.template(who)
    const sent = await world.send(who, {
      recipient: { user_id: who.id },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['in_app'],
    })
    expect(sent.body).toMatchObject({ state: 'delivered' })
    const inbox = await world.call('GET', '/v1/inbox', { token: who.token })
    expect(inbox.body).toMatchObject({
      data: [{ title: 'Order A-17', body: 'It is here, Ada', url: '/orders/A-17', read_at: null }],
    })
  })

  test.each([
    ['for later', { channels: ['sms', 'email'], scheduled_at: inAnHour() }],
    ['in a digest', { channels: ['email'], digest: { key: 'a', window_seconds: 3600 } }],
    ['that cannot reach anybody', { channels: ['sms', 'push'], metadata: { a: 'b' } }],
  ])('%s is answered as it is read', async (_how, more) => {
    const who = await world.shared()
    const name = await world.template(who)
    const sent = await world.send(who, {
      recipient: { user_id: who.id },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      ...more,
    })
    expect(sent.status, sent.text).toBe(202)
    const path = `/v1/notifications/${sent.body.id}`
    const { attempts, events, decisions, ...read } = (
      await world.call('GET', path, { token: who.token })
    ).body
    expect([attempts, events, decisions].every(Array.isArray)).toBe(true)
    expect(read).toEqual(sent.body)
  })

  test('with one key is one, however often it is asked for at once', async () => {
    const who = await world.shared()
    const name = await world.template(who)
    const email = newAddress()
    const key = newKey()
    const body = {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['email'],
    }
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.send(who, body, key)))
    const made = answers.filter(one => one.status === 202)
    expect(new Set(made.map(one => one.body.id)).size).toBe(1)
    for (const one of answers.filter(({ status }) => status !== 202)) {
      expect(one.body.code).toBe('idempotency_in_progress')
    }
    await world.reaches(who, made[0]?.body.id, 'sent')
    expect(await world.messages(email)).toHaveLength(1)
    const other = await world.send(who, { ...body, data: { name: 'Eve', order: 'B' } }, key)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
  })
})

test('of one event that comes five times there is one', async () => {
  const who = await world.sender()
  const face = world.platform.opened['notifications']?.face as Inside | undefined
  const notice = {
    tenant_id: who.tenant.id,
    key: `event:${newId()}`,
    user_id: who.id,
    category: 'order.updates',
    template: 'notice',
    data: { subject: 'Order confirmed', paragraphs: ['Thank you.'] },
    channels: ['in_app'],
  } as const
  const { db } = world.platform.kernel
  await Promise.all(Array.from({ length: 5 }, () => db.tx(async tx => face?.notify(tx, notice))))
  const inbox = await world.call('GET', '/v1/inbox', { token: who.token })
  expect(inbox.body.data).toMatchObject([{ title: 'Order confirmed', body: 'Thank you.' }])
})

describe.concurrent('a doubt', () => {
  test('accepted, then silence: unknown, and sent again only under the same Message-ID', async () => {
    const who = await world.shared()
    const email = newAddress()
    await world.fault({ channel: 'email', to: email, mode: 'timeout_after_accept', delay_ms: 100 })
    const id = await mailTo(who, email)
    const found = await world.reaches(who, id, 'sent')
    expect(found.attempts).toMatchObject([
      { attempt_no: 1, state: 'deferred', error_code: 'outcome_unknown' },
      { attempt_no: 2, state: 'accepted' },
    ])
    const copies = await world.messages(email)
    expect(new Set(copies.map(one => one.ref))).toEqual(new Set([`${id}.email`]))
    expect(new Set(copies.map(one => one.html)).size).toBe(1)
  })

  test('ends with the report of the provider, and nothing is sent again', async () => {
    const who = await world.shared()
    const email = newAddress()
    const name = await world.template(who)
    const path = `/v1/notification-categories/news_${who.tenant.slug.replaceAll('-', '_')}`
    await world.call('PUT', path, {
      token: who.token,
      body: { class: 'marketing', default_channels: ['email'] },
    })
    await world.fault({ channel: 'email', to: email, mode: 'timeout_after_accept', delay_ms: 50 })
    const sent = await world.send(who, {
      recipient: { email },
      category: path.split('/').at(-1),
      template: { name },
      data: usual_data,
    })
    const [mail] = await eventually('the mail is there', async () => {
      const all = await world.messages(email)
      return all.length > 0 && all
    })
    expect(await report(mail.id, { type: 'delivered' })).toBe(204)
    const found = await world.reaches(who, sent.body.id, 'delivered')
    expect(found.attempts).toHaveLength(1)
    expect(await world.messages(email)).toHaveLength(1)
  })
})

describe.concurrent('reports', () => {
  test('in any order and repeated leave the gravest, and the address is suppressed', async () => {
    const who = await world.shared()
    const email = newAddress()
    const id = await mailTo(who, email)
    await world.reaches(who, id, 'sent')
    const [mail] = await world.messages(email)
    for (const [type, event_id] of [
      ['bounced', 'e1'],
      ['delivered', 'e2'],
      ['sent', 'e3'],
      ['delivered', 'e4'],
      ['bounced', 'e1'],
    ]) {
      expect(await report(mail.id, { type, event_id: `${id}-${event_id}` })).toBe(204)
    }
    const found = await world.reaches(who, id, 'failed')
    expect(found.attempts[0].state).toBe('bounced')
    expect(found.events).toHaveLength(4)
    const second = await mailTo(who, email)
    const shown = await world.read(who, second)
    expect(shown.channels).toMatchObject([{ state: 'skipped', reason: 'suppressed' }])
    // It does not exist in another tenant.
    const other = await world.sender()
    await world.reaches(other, await mailTo(other, email), 'sent')
    const path = '/v1/suppressions'
    const mine = await world.call('GET', `${path}?limit=100`, { token: who.token })
    const body = { destination: email, channel: 'email' }
    const theirs = await world.call('POST', path, { token: other.token, key: newKey(), body })
    const hashes = mine.body.data.map((one: { destination_hash: string }) => one.destination_hash)
    expect(hashes).not.toContain(theirs.body.destination_hash)
  })

  test('with a bad or old signature are refused', async () => {
    const who = await world.shared()
    const email = newAddress()
    await world.reaches(who, await mailTo(who, email), 'sent')
    const [mail] = await world.messages(email)
    expect(await report(mail.id, { type: 'delivered', signature: 'bad' })).toBe(401)
    expect(await report(mail.id, { type: 'delivered', signature: 'old' })).toBe(401)
  })

  test('that come before our own commit are applied by it', async () => {
    const who = await world.shared()
    const email = newAddress()
    await world.fault({ channel: 'email', to: email, mode: 'timeout_after_accept', delay_ms: 1500 })
    const id = await mailTo(who, email)
    const [mail] = await eventually('the mail is there', async () => {
      const all = await world.messages(email)
      return all.length > 0 && all
    })
    // The sender still waits for its answer.
    expect((await world.read(who, id)).attempts[0].state).toBe('sending')
    expect(await report(mail.id, { type: 'bounced' })).toBe(204)
    const found = await world.reaches(who, id, 'failed')
    expect(found.attempts).toMatchObject([{ attempt_no: 1, state: 'bounced' }])
  })
})

describe.concurrent('between accept and send', () => {
  test('a suppression that is added counts', async () => {
    const who = await world.shared()
    const email = newAddress()
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
    const id = await mailTo(who, email, { scheduled_at })
    const body = { destination: email.toUpperCase(), channel: 'email' }
    const given = { token: who.token, key: newKey(), body }
    expect((await world.call('POST', '/v1/suppressions', given)).status).toBe(201)
    await world.platform.kernel.db.run(sql`
      update notifications.delivery_attempts set next_attempt_at = kernel.now()
      where intent_id = ${id}`)
    const found = await world.reaches(who, id, 'suppressed')
    expect(found.decisions).toMatchObject([{ rule: 'suppression', outcome: 'skip' }])
    expect(await world.messages(email)).toHaveLength(0)
  })

  test('a cancel holds back what waits, and says so', async () => {
    const who = await world.shared()
    const email = newAddress()
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
    const id = await mailTo(who, email, { scheduled_at })
    const cancel = () =>
      world.call('POST', `/v1/notifications/${id}/cancel`, {
        token: who.token,
        key: newKey(),
        body: { reason: 'sent to the wrong person' },
      })
    expect((await cancel()).body).toEqual({ id, state: 'cancelled', effect: 'full' })
    expect((await cancel()).body.state).toBe('cancelled')
    const acts = await world.platform.kernel.db.many(
      Type.Object({ actor: Type.String(), reason: Type.String() }),
      sql`
        select actor, reason from kernel.audit_events
        where target = ${`notification:${id}`} and action = 'notifications.intents.cancel'`,
    )
    expect(acts).toEqual([{ actor: who.id, reason: 'sent to the wrong person' }])
    const done = await mailTo(who, newAddress())
    await world.reaches(who, done, 'sent')
    const late = await world.call('POST', `/v1/notifications/${done}/cancel`, {
      token: who.token,
      key: newKey(),
      body: {},
    })
    expect([late.status, late.body.code]).toEqual([409, 'invalid_transition'])
  })
})
