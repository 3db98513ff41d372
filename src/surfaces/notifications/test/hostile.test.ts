/** Hostile text, hostile templates, and what belongs to another person. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
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

describe.concurrent('hostile text', () => {
  test('in data stays data: no markup, no header, no template', async () => {
    const who = await world.shared()
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
    const who = await world.shared()
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
    const who = await world.shared()
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
    const who = await world.shared()
    const name = `t-${newKey()}`
    const path = '/v1/notification-templates'
    const made = await world.call('POST', path, {
      token: who.token,
      key: newKey(),
      body: { name, default_locale: 'en', channels: { email: { subject: 'x', body } } },
    })
    const refused = made.status === 422 ? made.body.code : null
    const shown = await world.call('POST', `${path}/${name}/versions/1/preview`, {
      token: who.token,
      body: { data: usual_data, channel: 'email' },
    })
    expect(refused ?? shown.body.code).toBe(code)
  })

  test('tags nested too deep are refused in words', async () => {
    const { token } = await world.shared()
    const body = '{% if a %}'.repeat(3_900) + '{% endif %}'.repeat(3_900)
    const made = await world.call('POST', '/v1/notification-templates', {
      token,
      key: newKey(),
      body: {
        name: `t-${newKey()}`,
        default_locale: 'en',
        channels: { email: { subject: 'x', body } },
      },
    })
    expect([made.status, made.body.code]).toEqual([422, 'template_syntax_error'])
    expect(made.body.detail).toContain('nested too deep')
  })

  test.each([
    ['<', 250_000],
    ['{% if a %}x{% endif %}', 10_000],
    ["<a href='{{ a | safe_url }}'>x</a>", 7000],
  ])('a template of %j, %i times, is refused before it is parsed', async (part, times) => {
    const who = await world.shared()
    const email = { subject: 'x', body: part.repeat(times) }
    const body = { name: `t-${newKey()}`, default_locale: 'en', channels: { email } }
    const made = await world.call('POST', '/v1/notification-templates', {
      token: who.token,
      key: newKey(),
      body,
    })
    expect(made.status, made.text).toBe(422)
    expect(made.body.errors).toMatchObject([{ constraint: 'marks' }])
  })

  test('a template of many languages is refused if all texts together have too many tags', async () => {
    const who = await world.shared()
    const email = { subject: 'x', body: '<b>{{ name }}</b>'.repeat(2000) }
    const send = async (count: number) => {
      const languages = ['da', 'de', 'es', 'fr', 'it', 'nl', 'pl']
        .slice(0, count)
        .map(name => [name, { email }])
      const locales = Object.fromEntries(languages)
      const body = { name: `t-${newKey()}`, default_locale: 'en', channels: { email }, locales }
      const to = '/v1/notification-templates'
      return await world.call('POST', to, { token: who.token, key: newKey(), body })
    }
    expect((await send(5)).status).toBe(201)
    const refused = await send(7)
    expect(refused.body).toMatchObject({ code: 'template_syntax_error', status: 422 })
    expect(refused.body.errors).toMatchObject([{ pointer: '', constraint: 'marks' }])
  })

  test('a lone surrogate in data is refused', async () => {
    const who = await world.shared()
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
    const [who, other] = [await world.shared(), await world.sender()]
    const name = await world.template(who)
    const id = await mailTo(who, newAddress())
    const foreign = {
      recipient: { email: newAddress() },
      category: 'order.updates',
      template: { name },
      data: usual_data,
    }
    expect((await world.send(other, foreign)).body.code).toBe('template_not_found')
    const draft = `t-${newId()}`
    const drafted = await world.call('POST', '/v1/notification-templates', {
      token: who.token,
      body: { name: draft, default_locale: 'en', channels: { sms: { body: 'x' } } },
    })
    expect(drafted.status, drafted.text).toBe(201)
    const unpublished = { ...foreign, template: { name: draft } }
    expect((await world.send(who, unpublished)).body.code).toBe('template_not_published')
    expect((await world.send(other, unpublished)).body.code).toBe('template_not_found')
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

  test('of a recipient are to see what is in the inbox, and nothing of its sender', async () => {
    const shop = await world.shared()
    const who = await world.member(shop.tenant)
    const name = await world.template(shop)
    const send = async (channels: string[]) => {
      const sent = await world.send(shop, {
        recipient: { user_id: who.id },
        category: 'order.updates',
        template: { name },
        data: usual_data,
        channels,
        metadata: { margin: 'low' },
      })
      expect(sent.status, sent.text).toBe(202)
      return `/v1/notifications/${sent.body.id}`
    }
    const get = (path: string) => world.call('GET', path, { token: who.token })
    const [mailed, shown] = [await send(['email']), await send(['in_app', 'email'])]
    expect((await get(mailed)).body).toMatchObject({ status: 404, code: 'notification_not_found' })
    const found = await get(shown)
    expect(found.status, found.text).toBe(200)
    expect(found.body).toMatchObject({ metadata: null, idempotency_key: null, data_ref: null })
    expect((await get(`${shown}/rendered?channel=email`)).status).toBe(404)
    const cancelled = await world.call('POST', `${shown}/cancel`, { token: who.token })
    expect(cancelled.status).toBe(404)
  })

  test('are by category, and security is not sent without its exact name', async () => {
    const who = await world.member()
    const admin = await world.shared()
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
