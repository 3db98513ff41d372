/** What a page of a person's own preferences needs: themselves as `me`, and what there is to choose. */
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { openNotifyWorld } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const ask = (who: Member, method: string, path: string, body?: unknown) =>
  world.call(method, path, { token: who.token, ...(body === undefined ? {} : { body }) })

test('`me` in a path is the caller, for preferences and destinations as for profiles', async () => {
  const who = await world.member()
  const preferences = [{ category: 'social.activity', channel: 'in_app', enabled: false }]
  const body = { timezone: 'UTC', preferences }
  const put = await ask(who, 'PUT', '/v1/users/me/preferences', body)
  expect(put.status, put.text).toBe(200)
  const own = await ask(who, 'GET', `/v1/users/${who.id}/preferences`)
  expect(own.body).toMatchObject({ user_id: who.id, preferences: [{ enabled: false }] })
  const to = { channel: 'email', address: `me-${newId()}@example.test` }
  const made = await ask(who, 'POST', '/v1/users/me/destinations', to)
  const one = `/v1/users/${who.id}/destinations/${made.body.id}`
  expect([made.status, made.headers.get('location')]).toEqual([201, one])
  expect((await ask(who, 'GET', '/v1/users/me/destinations')).body.data).toHaveLength(1)
  const path = `/v1/users/me/destinations/${made.body.id}`
  const code = await ask(who, 'POST', `${path}/verify`, { code: '000000' })
  expect([code.status, code.body.code]).toEqual([422, 'code_invalid'])
  expect((await ask(who, 'DELETE', path)).status).toBe(204)
  expect((await ask(who, 'GET', '/v1/users/you/preferences')).status).toBe(404)
})

test('everybody sees which categories can be switched off', async () => {
  const { status, body } = await ask(await world.member(), 'GET', '/v1/notification-categories')
  expect(status).toBe(200)
  expect(body.data).toContainEqual(
    expect.objectContaining({ name: 'social.activity', user_can_disable: true }),
  )
  expect(body.data).toContainEqual(
    expect.objectContaining({ name: 'order.updates', user_can_disable: false }),
  )
})

test('preferences have a version before they were put', async () => {
  const who = await world.member()
  const path = '/v1/users/me/preferences'
  const put = (headers: Record<string, string>) =>
    world.call('PUT', path, {
      token: who.token,
      headers,
      body: { timezone: 'UTC', preferences: [] },
    })
  const tag = (await ask(who, 'GET', path)).headers.get('etag') ?? ''
  expect(tag).toBe('"0"')
  expect((await put({ 'if-match': '"1"' })).status).toBe(412)
  const both = await Promise.all([put({ 'if-match': tag }), put({ 'if-match': tag })])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
  expect((await ask(who, 'GET', path)).headers.get('etag')).toBe('"1"')
  expect((await put({ 'if-none-match': '*' })).status).toBe(412)
})
