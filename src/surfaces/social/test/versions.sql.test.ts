/** The earlier texts of a post, and who may read them. */
import { afterAll, expect, test } from 'vitest'
import { openSocialWorld, type Someone } from './social-world.ts'

const world = await openSocialWorld()
afterAll(() => world.close())

test('what was written while a post was private, or for followers, is not shown to others', async () => {
  const [ada, ben, eve] = (await world.people(3)) as [Someone, Someone, Someone]
  await ben.does('PUT', `/v1/users/${ben.id}/following/${ada.id}`)
  const written = [
    { body: 'diary', visibility: 'private' },
    { body: 'for friends', visibility: 'followers' },
    { body: 'for all', visibility: 'public' },
  ]
  const { id } = await ada.does('POST', '/v1/posts', written[0])
  for (const edit of written.slice(1)) await ada.does('PATCH', `/v1/posts/${id}`, edit)
  const seen = async (who: Someone) =>
    (await who.does('GET', `/v1/posts/${id}/versions`)).data.map(
      (one: { body: string }) => one.body,
    )
  expect(await seen(ada)).toEqual(['for all', 'for friends', 'diary'])
  expect(await seen(ben)).toEqual(['for all', 'for friends'])
  expect(await seen(eve)).toEqual(['for all'])
})

test('what was written under a private profile stays with the followers when the profile opens', async () => {
  const [ada, eve] = (await world.people(2)) as [Someone, Someone]
  await ada.does('PATCH', '/v1/users/me', { privacy_state: 'private' })
  const { id } = await ada.does('POST', '/v1/posts', { body: 'for followers' })
  await ada.does('PATCH', `/v1/posts/${id}`, { body: 'for all' })
  await ada.does('PATCH', '/v1/users/me', { privacy_state: 'public' })
  const { data } = await eve.does('GET', `/v1/posts/${id}/versions`)
  expect(data.map((one: { body: string }) => one.body)).toEqual(['for all'])
})

test('a profile is not left public silently: other names for its privacy are refused', async () => {
  const ada = await world.someone()
  for (const member of ['visibility', 'is_private', 'private', 'privacy']) {
    const { status, body } = await ada.ask('PATCH', '/v1/users/me', { [member]: 'private' })
    expect([status, body.code], member).toEqual([422, 'unsupported_field'])
    expect(body.detail).toContain('Use `privacy_state` instead.')
  }
})
