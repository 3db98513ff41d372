/** Chat under the crawler: how conversations, messages, members and devices come about. */
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'

type Making = Maker<ProductWorld, Member>

/** One more person of each tenant, to talk to. */
const others = new Map<string, Promise<Member>>()
function other({ world, person: { tenant } }: Making): Promise<Member> {
  const known = others.get(tenant.id) ?? world.member(tenant)
  others.set(tenant.id, known)
  return known
}

/** The last group of each person, in which their next message is. */
const last = new Map<string, string>()
async function group(maker: Making): Promise<string> {
  const member_ids = [(await other(maker)).id]
  const { id } = await maker.ask('POST', '/v1/conversations', { type: 'group', member_ids })
  last.set(maker.person.token, id)
  return id as string
}

async function message(maker: Making): Promise<string> {
  const id = last.get(maker.person.token) ?? (await group(maker))
  const sent = await maker.ask('POST', `/v1/conversations/${id}/messages`, { body: 'something' })
  return sent.id as string
}

await crawlSurface({
  surface: 'chat',
  settings: {},
  subjects: {
    '/v1/conversations/{id}': { make: group },
    '/v1/conversations/{id}/messages/{message_id}': { make: message },
    '/v1/conversations/{id}/members/{user_id}': { make: async maker => (await other(maker)).id },
    '/v1/devices/{device_id}': {
      make: async ({ ask }) => {
        const id = newId()
        await ask('PUT', `/v1/devices/${id}`, { platform: 'web' })
        return id
      },
    },
  },
  recipes: {
    'POST /v1/conversations': {
      request: async maker => ({
        body: { type: 'group', member_ids: [(await other(maker)).id], title: 'A group' },
      }),
    },
    'PATCH /v1/conversations/{id}': { request: () => ({ body: { title: 'Another name' } }) },
    'POST /v1/conversations/{id}/messages': { request: () => ({ body: { body: 'something' } }) },
    'PATCH /v1/conversations/{id}/messages/{message_id}': {
      request: () => ({ body: { body: 'something else' } }),
    },
    'PUT /v1/conversations/{id}/read': { request: () => ({ body: { through_sequence: 0 } }) },
    'POST /v1/conversations/{id}/members': {
      request: async ({ world, person: { tenant } }) => ({
        body: { user_ids: [(await world.member(tenant)).id] },
      }),
    },
    'PATCH /v1/conversations/{id}/members/{user_id}': {
      request: () => ({ body: { role: 'admin' } }),
    },
    'PATCH /v1/conversations/{id}/members/me': { request: () => ({ body: { muted_until: null } }) },
    'POST /v1/attachments/uploads': {
      request: async maker => ({
        body: { conversation_id: await group(maker), expected_size: 5, filename: 'five.txt' },
      }),
    },
    'PUT /v1/devices/{device_id}': { request: () => ({ body: { platform: 'ios' } }) },
  },
})
