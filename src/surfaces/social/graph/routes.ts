/** Routes of follows and follow requests. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id, pageQuery, UserId } from '../../../kernel/http/shapes.ts'
import { idIn, personOf, selfIn, type Deps } from '../deps.ts'
import { requireOpen } from '../people/user-row.ts'
import { Follow } from '../schemas.ts'
import { blockRoutes } from './block-routes.ts'
import { follow } from './follow.ts'
import { listPeople, pages } from './list-people.ts'
import { lockPair } from './pairs.ts'
import { acceptRequest, rejectRequest } from './requests.ts'
import { endFollow } from './unfollow.ts'

const one = '/v1/users/{user_id}' as const
const following = `${one}/following/{target_id}` as const
const requests = '/v1/users/me/follow-requests'
const request = `${requests}/{follower_id}` as const
const absent = 'user_not_found'
const params = { user_id: UserId }
const graph = { permission: 'social.graph.write', rate_tenant: false } as const
const reads = { permission: 'social.content.read', rate_tenant: false } as const

export function graphRoutes(deps: Deps): readonly Route[] {
  return [
    followRoute(deps),
    unfollowRoute(),
    listRoute(deps, 'followers'),
    listRoute(deps, 'following'),
    removeFollowerRoute(),
    requestsRoute(),
    acceptRoute(),
    rejectRoute(),
    ...blockRoutes(deps),
  ]
}

function followRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: following,
    name: 'followUser',
    summary: 'Follow a user',
    description:
      'If the account is private, it gets a follow request and the follow is `pending`. A repeated request returns the same result.',
    ...graph,
    params,
    absent,
    replies: { 200: Follow },
    fails: [
      absent,
      'permission_denied',
      'account_suspended',
      'blocked_by_you',
      'follow_limit_reached',
      'cannot_follow_self',
      'rate_limited',
    ],
    handle: async ({ tx, principal, params: { user_id, target_id } }) => {
      const person = selfIn(principal, user_id)
      return reply(200, await follow(tx, deps, person, target_id))
    },
  })
}

function unfollowRoute(): Route {
  return route({
    method: 'DELETE',
    path: following,
    name: 'unfollowUser',
    summary: 'Stop following a user, or withdraw a follow request',
    description: 'From the next read on, their posts are not in your feed. Every id gets 204.',
    ...graph,
    params: { ...params, target_id: Id },
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { user_id, target_id } }) => {
      const person = selfIn(principal, user_id)
      await lockPair(tx, person, target_id)
      const follower_id = person.id
      await endFollow(tx, person.tenant_id, { follower_id, followed_id: target_id })
      return reply(204, null)
    },
  })
}

function listRoute(deps: Deps, kind: 'followers' | 'following'): Route {
  return route({
    method: 'GET',
    path: `${one}/${kind}`,
    name: kind === 'followers' ? 'listFollowers' : 'listFollowing',
    summary:
      kind === 'followers'
        ? 'List the followers of a user, newest first'
        : 'List the users that a user follows, newest first',
    ...reads,
    added: true,
    params,
    absent,
    query: pageQuery({}),
    replies: { 200: pages.follows },
    fails: [absent, 'permission_denied', 'account_private'],
    handle: async ({ principal, params: { user_id }, list }) => {
      const { db } = deps.kernel
      const viewer = personOf(principal)
      const id = idIn(viewer, user_id)
      await requireOpen(db, deps, viewer, id)
      const { body, headers } = await listPeople(db, list, viewer, id, kind)
      return reply(200, body as never, headers)
    },
  })
}

function removeFollowerRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/v1/users/me/followers/{follower_id}',
    name: 'removeFollower',
    summary: 'Remove a follower; the follower is not notified',
    ...graph,
    added: true,
    params: { follower_id: Id },
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { follower_id } }) => {
      const { tenant_id, id: followed_id } = personOf(principal)
      await lockPair(tx, { tenant_id, id: followed_id }, follower_id)
      await endFollow(tx, tenant_id, { follower_id, followed_id })
      return reply(204, null)
    },
  })
}

function requestsRoute(): Route {
  return route({
    method: 'GET',
    path: requests,
    name: 'listFollowRequests',
    summary: 'List the follow requests that you have not answered, newest first',
    ...reads,
    added: true,
    query: pageQuery({}),
    replies: { 200: pages.follows },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, list }) => {
      const person = personOf(principal)
      const { body, headers } = await listPeople(tx, list, person, person.id, 'requests')
      return reply(200, body as never, headers)
    },
  })
}

function acceptRoute(): Route {
  return route({
    method: 'POST',
    path: `${request}/accept`,
    name: 'acceptFollowRequest',
    summary: 'Accept a follow request',
    ...graph,
    added: true,
    absent: 'follow_request_not_found',
    replies: { 200: Follow },
    fails: ['follow_request_not_found', 'permission_denied', 'account_suspended'],
    handle: async ({ tx, principal, params: { follower_id } }) =>
      reply(200, await acceptRequest(tx, personOf(principal), follower_id)),
  })
}

function rejectRoute(): Route {
  return route({
    method: 'POST',
    path: `${request}/reject`,
    name: 'rejectFollowRequest',
    summary: 'Reject a follow request; its sender is not notified',
    ...graph,
    added: true,
    absent: 'follow_request_not_found',
    replies: { 204: null },
    fails: ['follow_request_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { follower_id } }) => {
      await rejectRequest(tx, personOf(principal), follower_id)
      return reply(204, null)
    },
  })
}
