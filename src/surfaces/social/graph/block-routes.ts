/** Routes of blocks and mutes. Blocked and muted people are not notified. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id, pageQuery } from '../../../kernel/http/shapes.ts'
import { personOf, type Deps } from '../deps.ts'
import { Block, block, Mute, mute, SetMute, unblock, unmute } from './blocks.ts'
import { listPeople, pages } from './list-people.ts'

const blocks = '/v1/users/me/blocks'
const mutes = '/v1/users/me/mutes'
const absent = 'user_not_found'
const graph = { permission: 'social.graph.write', rate_tenant: false, added: true } as const

export function blockRoutes(deps: Deps): readonly Route[] {
  return [
    blockRoute(deps),
    unblockRoute(),
    listRoute('blocks'),
    muteRoute(deps),
    unmuteRoute(),
    listRoute('mutes'),
  ]
}

function blockRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: `${blocks}/{target_id}`,
    name: 'blockUser',
    summary: 'Block a user',
    description:
      'You no longer see the posts of this user, and this user no longer sees yours. Follows between you end in the same transaction.',
    ...graph,
    absent,
    replies: { 200: Block },
    fails: [
      absent,
      'permission_denied',
      'account_suspended',
      'cannot_block_self',
      'quota_exceeded',
    ],
    handle: async ({ tx, principal, params: { target_id } }) =>
      reply(200, await block(tx, deps, personOf(principal), target_id)),
  })
}

function unblockRoute(): Route {
  return route({
    method: 'DELETE',
    path: `${blocks}/{target_id}`,
    name: 'unblockUser',
    summary: 'End a block; earlier follows are not restored',
    ...graph,
    params: { target_id: Id },
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { target_id } }) => {
      await unblock(tx, personOf(principal), target_id)
      return reply(204, null)
    },
  })
}

function muteRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: `${mutes}/{target_id}`,
    name: 'muteUser',
    summary: 'Keep the posts of a user out of your feed, for ever or until a time',
    ...graph,
    absent,
    body: SetMute,
    body_optional: true,
    replies: { 200: Mute },
    fails: [
      absent,
      'permission_denied',
      'account_suspended',
      'cannot_block_self',
      'quota_exceeded',
    ],
    handle: async ({ tx, principal, params: { target_id }, body }) => {
      const until = (body as typeof body | undefined)?.expires_at ?? null
      return reply(200, await mute(tx, deps, personOf(principal), target_id, until))
    },
  })
}

function unmuteRoute(): Route {
  return route({
    method: 'DELETE',
    path: `${mutes}/{target_id}`,
    name: 'unmuteUser',
    summary: 'End a mute',
    ...graph,
    params: { target_id: Id },
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { target_id } }) => {
      await unmute(tx, personOf(principal), target_id)
      return reply(204, null)
    },
  })
}

function listRoute(kind: 'blocks' | 'mutes'): Route {
  return route({
    method: 'GET',
    path: kind === 'blocks' ? blocks : mutes,
    name: kind === 'blocks' ? 'listBlocks' : 'listMutes',
    summary:
      kind === 'blocks'
        ? 'List the users that you block, newest first'
        : 'List the users that you mute, newest first',
    permission: 'social.content.read',
    rate_tenant: false,
    added: true,
    query: pageQuery({}),
    replies: { 200: kind === 'blocks' ? pages.blocks : pages.mutes },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, list }) => {
      const person = personOf(principal)
      const { body, headers } = await listPeople(tx, list, person, person.id, kind)
      return reply(200, body as never, headers)
    },
  })
}
