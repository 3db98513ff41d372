/** What toy implementations break on: doubts, crashes, disorder, and what changes between accept and send. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld({ NOTIFICATIONS_UNKNOWN_MAIL_SECONDS: '1' })
afterAll(() => world.close())
const { db } = world.platform.kernel

async function mailTo(who: Member, email: string, more: object = {}, texts?: object) {
  const name = await world.template(who, texts)
  const sent = await world.send(who, {
    recipient: { email },
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: ['email'],
    ...more,
  })
  expect(sent.status, sent.text).toBe(202)
  return sent.body.id as string
}

const report = async (id: string, body: object) =>
  (await world.call('POST', `/dev/inbox/messages/${id}/outcome`, { body })).body.status as number

describe.concurrent('a doubt', () => {
  test('accepted, then silence: unknown, and sent again only under the same Message-ID', async () => {
    const who = await world.sender()
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
    const who = await world.sender()
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
    const who = await world.sender()
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
    const told = await world.read(who, second)
    expect(told.channels).toMatchObject([{ state: 'skipped', reason: 'suppressed' }])
    // In another tenant nobody knows of it.
    const other = await world.sender()
    await world.reaches(other, await mailTo(other, email), 'sent')
    const hashes = await db.many(
      Type.Object({ hash: Type.String() }),
      sql`
        -- any tenant: one address in two of them
        select distinct encode(destination_hash, 'hex') as hash from notifications.destinations
        where tenant_id in (${who.tenant.id}, ${other.tenant.id})`,
    )
    expect(hashes).toHaveLength(2)
  })

  test('with a bad or old signature are refused', async () => {
    const who = await world.sender()
    const email = newAddress()
    await world.reaches(who, await mailTo(who, email), 'sent')
    const [mail] = await world.messages(email)
    expect(await report(mail.id, { type: 'delivered', signature: 'bad' })).toBe(401)
    expect(await report(mail.id, { type: 'delivered', signature: 'old' })).toBe(401)
  })

  test('that come before our own commit are applied by it', async () => {
    const who = await world.sender()
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
    const who = await world.sender()
    const email = newAddress()
    const scheduled_at = new Date(Date.now() + 1500).toISOString()
    const id = await mailTo(who, email, { scheduled_at })
    const body = { destination: email.toUpperCase(), channel: 'email' }
    const added = await world.call('POST', '/v1/suppressions', {
      token: who.token,
      key: newKey(),
      body,
    })
    expect(added.status, added.text).toBe(201)
    const found = await world.reaches(who, id, 'suppressed')
    expect(found.decisions).toMatchObject([{ rule: 'suppression', outcome: 'skip' }])
    expect(await world.messages(email)).toHaveLength(0)
  })

  test('a cancel holds back what waits, and says so', async () => {
    const who = await world.sender()
    const email = newAddress()
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
    const id = await mailTo(who, email, { scheduled_at })
    const cancel = () =>
      world.call('POST', `/v1/notifications/${id}/cancel`, {
        token: who.token,
        key: newKey(),
        body: {},
      })
    expect((await cancel()).body).toEqual({ id, state: 'cancelled', effect: 'full' })
    expect((await cancel()).body.state).toBe('cancelled')
    const done = await mailTo(who, newAddress())
    await world.reaches(who, done, 'sent')
    const late = await world.call('POST', `/v1/notifications/${done}/cancel`, {
      token: who.token,
      key: newKey(),
      body: {},
    })
    expect(late.body.effect).toBe('none')
  })
})

describe.concurrent('hostile text', () => {
  test('in data stays data: no markup, no header, no template', async () => {
    const who = await world.sender()
    const email = newAddress()
    const id = await mailTo(who, email, {
      data: {
        name: 'x\r\nBcc: victim@example.test',
        order: '<img src=x onerror=alert(1)>{{ 7 | times: 7 }}',
      },
    })
    await world.reaches(who, id, 'sent')
    const [mail] = await world.messages(email)
    const whole = (await world.call('GET', `/dev/inbox/messages/${mail.id}`)).body
    expect(mail.subject).toBe('Hello x Bcc: victim@example.test')
    expect(Object.keys(whole.headers)).not.toContain('bcc')
    expect(whole.to).toBe(email)
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;{{ 7 | times: 7 }}')
  })

  test.each([
    'a@b.example\r\nBcc: x@y.example',
    'a@b.example,c@d.example',
    'Name <a@b.example>',
    'a b@c.example',
    'a@b',
    '@b.example',
    'a@b..example',
    '"x@y"@b.example',
  ])('is no address: %j', async email => {
    const who = await world.sender()
    const name = await world.template(who)
    const sent = await world.send(who, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: usual_data,
    })
    expect(sent.status).toBe(422)
  })

  test('an address of another script is written in ASCII, and emoji in a subject arrive', async () => {
    const who = await world.sender()
    const local = newAddress().split('@')[0]
    const id = await mailTo(who, `${local}@Bücher.example`, {
      data: { name: '🎉 שלום', order: 'A' },
    })
    await world.reaches(who, id, 'sent')
    // The receiving server shows the domain as people write it.
    const [mail] = await world.messages(`${local}@bücher.example`)
    expect(mail.subject).toBe('Hello 🎉 שלום')
    const { raw } = (await world.call('GET', `/dev/inbox/messages/${mail.id}`)).body
    expect(raw).toContain('xn--bcher-kva.example')
  })

  test.each([
    ['{% for i in (1..1000000000) %}x{% endfor %}', 'template_render_failed'],
    ['{{ absent }}', 'template_render_failed'],
    ['{% include "/etc/passwd" %}', 'template_syntax_error'],
    ['{{ name | raw }}', 'template_syntax_error'],
    ['{{ name | no_such_filter }}', 'template_syntax_error'],
    ['{{ name.constructor.name }}', 'template_render_failed'],
    ['<a href="{{ name }}">x</a>', 'template_syntax_error'],
    ['<a title={{ name }}>x</a>', 'template_syntax_error'],
    ['<script>{{ name }}</script>', 'template_syntax_error'],
  ])('as a template %j: %s', async (body, code) => {
    const who = await world.sender()
    const name = `t-${newKey()}`
    const path = '/v1/notification-templates'
    const made = await world.call('POST', path, {
      token: who.token,
      key: newKey(),
      body: { name, default_locale: 'en', channels: { email: { subject: 'x', body } } },
    })
    if (made.status === 422) return expect(made.body.code).toBe(code)
    const shown = await world.call('POST', `${path}/${name}/versions/1/preview`, {
      token: who.token,
      body: { data: usual_data, channel: 'email' },
    })
    return expect([shown.status, shown.body.code]).toEqual([422, code])
  })

  test('a lone surrogate in data is refused', async () => {
    const who = await world.sender()
    const name = await world.template(who)
    const body = `{"recipient":{"email":"${newAddress()}"},"category":"order.updates","template":{"name":"${name}"},"data":{"name":"\\ud800","order":"x"}}`
    const sent = await world.call('POST', '/v1/notifications', {
      token: who.token,
      key: newKey(),
      body,
    })
    expect(sent.status).toBe(422)
  })
})

describe.concurrent('rights', () => {
  test('what belongs to another tenant is not there', async () => {
    const [who, other] = [await world.sender(), await world.sender()]
    const name = await world.template(who)
    const id = await mailTo(who, newAddress())
    const foreign = {
      recipient: { email: newAddress() },
      category: 'order.updates',
      template: { name },
      data: usual_data,
    }
    expect((await world.send(other, foreign)).body.code).toBe('template_not_found')
    expect(
      (await world.call('GET', `/v1/notifications/${id}`, { token: other.token })).status,
    ).toBe(404)
    const [mine] = await db.many(
      Type.Object({ id: Type.String() }),
      sql`select id from notifications.destinations where tenant_id = ${who.tenant.id}`,
    )
    const theirs = await world.template(other)
    const sent = await world.send(other, {
      ...foreign,
      template: { name: theirs },
      recipient: { destination_id: mine?.id },
    })
    expect(sent.body.code).toBe('destination_not_found')
  })

  test('are by category, and security is not sent without its exact name', async () => {
    const who = await world.member()
    const admin = await world.sender()
    const name = await world.template(admin)
    const body = {
      recipient: { email: newAddress() },
      category: 'order.updates',
      template: { name },
      data: usual_data,
    }
    expect((await world.send(who, body)).status).toBe(403)
    const security = await world.send(admin, { ...body, category: 'identity.security' })
    expect([security.status, security.body.code]).toEqual([403, 'permission_denied'])
    const limited = await world.member(admin.tenant)
    await world.allow(limited, 'notifications.intents.send:order.updates')
    expect((await world.send(limited, body)).status).toBe(202)
    expect((await world.send(limited, { ...body, category: 'social.activity' })).status).toBe(403)
    expect((await world.send(limited, { ...body, priority: 'critical' })).status).toBe(403)
  })
})
