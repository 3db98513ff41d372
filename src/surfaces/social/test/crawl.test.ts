/** Social under the crawler: how posts, comments, people, follow requests and cases come about. */
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { call, newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'

type Making = Maker<ProductWorld, Member>

/** Another member of the tenant: for follows, reports and requests. */
const others = new Map<string, Promise<Member>>()
function otherOf({ world, person }: Making): Promise<Member> {
  const other = others.get(person.tenant.id) ?? world.member(person.tenant)
  others.set(person.tenant.id, other)
  return other
}

async function does({ world }: Making, who: Member, method: string, path: string, body?: object) {
  const keyed = method === 'POST' ? { key: newKey() } : {}
  const answer = await call(world.url, method, path, { token: who.token, body, ...keyed })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
  return answer.body
}

const post = async ({ ask }: Making): Promise<string> =>
  (await ask('POST', '/v1/posts', { body: 'hello' })).id

/** What one member posted and another reported: a moderator may decide on it. */
async function reported(maker: Making): Promise<{ case_id: string; author: Member }> {
  const author = await otherOf(maker)
  const { id: subject_id } = await does(maker, author, 'POST', '/v1/posts', { body: 'bad' })
  const reporter = await maker.world.member(maker.person.tenant)
  const report = { subject_type: 'post', subject_id, category: 'spam' }
  await does(maker, reporter, 'POST', '/v1/moderation/reports', report)
  const { data } = await maker.ask('GET', '/v1/moderation/cases?limit=100&state=open')
  const found = data.find((one: { subject_id: string }) => one.subject_id === subject_id)
  return { case_id: found.id, author }
}

const decision = {
  action: 'remove',
  reason_code: 'advertising',
  statement: 'Advertising is not allowed here.',
  version: 1,
}

await crawlSurface({
  surface: 'social',
  // Nothing counts between two requests, so that a tag stays what it was.
  settings: { ROLES: 'api' },
  subjects: {
    '/v1/posts/{post_id}': { make: post },
    '/v1/comments/{comment_id}': {
      make: async maker =>
        (await maker.ask('POST', `/v1/posts/${await post(maker)}/comments`, { body: 'yes' })).id,
    },
    '/v1/users/{user_id}': { make: ({ person }) => person.id },
    '/v1/handles/{handle}': {
      make: async maker => (await maker.ask('GET', '/v1/users/me')).handle,
    },
    '/v1/users/{user_id}/following/{target_id}': {
      make: async maker => (await maker.world.member(maker.person.tenant)).id,
    },
    '/v1/users/me/followers/{follower_id}': { make: async maker => (await otherOf(maker)).id },
    '/v1/users/me/blocks/{target_id}': {
      make: async maker => (await maker.world.member(maker.person.tenant)).id,
    },
    '/v1/users/me/mutes/{target_id}': {
      make: async maker => (await maker.world.member(maker.person.tenant)).id,
    },
    '/v1/users/me/follow-requests/{follower_id}': {
      make: async maker => {
        await maker.ask('PATCH', '/v1/users/me', { privacy_state: 'private' })
        const follower = await maker.world.member(maker.person.tenant)
        await does(maker, follower, 'PUT', `/v1/users/me/following/${maker.person.id}`)
        return follower.id
      },
    },
    '/v1/moderation/cases/{case_id}': { make: async maker => (await reported(maker)).case_id },
  },
  recipes: {
    'POST /v1/posts': {
      request: () => ({ body: { body: 'hello' } }),
      refusal: () => ({ body: { body: 'hello', media: [{ object_id: newId() }] } }),
    },
    'PATCH /v1/posts/{post_id}': { request: () => ({ body: { body: 'changed' } }) },
    'PATCH /v1/users/{user_id}': { request: () => ({ body: { bio: 'changed' } }) },
    'POST /v1/posts/{post_id}/comments': { request: () => ({ body: { body: 'yes' } }) },
    'PUT /v1/users/me/mutes/{target_id}': { request: () => ({ body: {} }) },
    'POST /v1/moderation/reports': {
      request: async maker => {
        const other = await otherOf(maker)
        const { id } = await does(maker, other, 'POST', '/v1/posts', { body: 'bad' })
        return { body: { subject_type: 'post', subject_id: id, category: 'spam' } }
      },
    },
    'POST /v1/moderation/cases/{case_id}/actions': { request: () => ({ body: decision }) },
    'POST /v1/moderation/cases/{case_id}/appeal': {
      request: async (maker, { case_id }) => {
        await maker.ask('POST', `/v1/moderation/cases/${case_id}/actions`, decision)
        const { token } = await otherOf(maker)
        return { body: { statement: 'It was no advertisement.' }, token }
      },
    },
  },
})
