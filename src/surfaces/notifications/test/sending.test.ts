/** From a template to a mailbox, over HTTP. */
import { afterAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

describe.concurrent('a notification', () => {
  test('goes from template to mailbox, with its attempts in its history', async () => {
    const who = await world.shared()
    const name = await world.template(who)
    const email = newAddress()
    const sent = await world.send(who, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['email'],
    })
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
