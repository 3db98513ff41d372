/** The language of a message. */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openNotifyWorld } from './notify-world.ts'

const world = await openNotifyWorld({ NOTIFICATIONS_DEFAULT_LOCALE: 'fr' })
afterAll(() => world.close())

const ask = (who: Member, method: string, path: string, body?: unknown) =>
  world.call(method, path, {
    token: who.token,
    key: newKey(),
    ...(body === undefined ? {} : { body }),
  })

test('the preferences of a user name the language of messages, else the deployment does', async () => {
  const who = await world.sender()
  const [registered] = await world.mails(who.email)
  const proof = { token: registered?.token, password: who.password }
  expect((await world.call('POST', '/v1/email-verifications', { body: proof })).status).toBe(201)
  const name = `t-${newId()}`
  const texts = (word: string) => ({
    email: { subject: word, body: `<p>${word}</p>` },
    in_app: { title: word, body: word },
  })
  const path = '/v1/notification-templates'
  const body = { name, default_locale: 'en', channels: texts('Hello') }
  const locales = { de: texts('Hallo'), fr: texts('Bonjour') }
  const made = await ask(who, 'POST', path, { ...body, locales })
  expect(made.status, made.text).toBe(201)
  await ask(who, 'POST', `${path}/${name}/versions/1/publish`)
  const textOf = async (channel: string) => {
    const recipient = { user_id: who.id }
    const order = { recipient, category: 'order.updates', template: { name }, data: {} }
    const sent = await world.send(who, { ...order, channels: [channel] })
    const done = channel === 'email' ? 'sent' : 'delivered'
    const { attempts } = await world.reaches(who, sent.body.id, done)
    const rendered = await ask(
      who,
      'GET',
      `/v1/notifications/${sent.body.id}/rendered?channel=${channel}`,
    )
    expect(rendered.body.sha256).toBe(attempts[0].rendered_sha256)
    return rendered.body.subject
  }
  expect([await textOf('in_app'), await textOf('email')]).toEqual(['Bonjour', 'Bonjour'])
  const set = { timezone: 'UTC', locale: 'de-AT', preferences: [] }
  expect((await ask(who, 'PUT', `/v1/users/${who.id}/preferences`, set)).status).toBe(200)
  expect([await textOf('in_app'), await textOf('email')]).toEqual(['Hallo', 'Hallo'])
})

test('a version is published and archived once', async () => {
  const who = await world.sender()
  const path = '/v1/notification-templates'
  const name = `t-${newId()}`
  const email = { subject: 'Hello', body: '<p>Hello</p>' }
  await ask(who, 'POST', path, { name, default_locale: 'en', channels: { email } })
  const move = async (verb: string) => {
    const { status, body } = await ask(who, 'POST', `${path}/${name}/versions/1/${verb}`)
    return [status, body.current_state ?? body.status]
  }
  expect(await move('publish')).toEqual([200, 'published'])
  expect(await move('publish')).toEqual([409, 'published'])
  expect(await move('archive')).toEqual([200, 'archived'])
  expect(await move('archive')).toEqual([409, 'archived'])
})
