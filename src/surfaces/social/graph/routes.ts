/** Routes of follows and follow requests. */
import { Id, routesOf, UserId, type Route } from '#dodeca/kernel'
import { idIn, personOf, selfIn, type Deps } from '../deps.ts'
import { requireOpen } from '../people/user-row.ts'
import { Follow } from '../schemas.ts'
import { blockRoutes } from './block-routes.ts'
import { follow } from './follow.ts'
import { items, listPeople } from './list-people.ts'
import { lockPair } from './pairs.ts'
import { acceptRequest, rejectRequest } from './requests.ts'
import { endFollow } from './unfollow.ts'

const one = '/v1/users/{user_id}' as const
const following = `${one}/following/{target_id}` as const
const requests = '/v1/users/me/follow-requests'
const request = `${requests}/{follower_id}` as const
const params = { user_id: UserId }

const { open, list, post, put, del } = routesOf<Deps>({
  absent: 'user_not_found',
  params,
  read: 'social.content.read',
  write: 'social.graph.write',
  rate_tenant: false,
})

const listFollows = (kind: 'followers' | 'following', summary: string) =>
  list(
    `${one}/${kind}`,
    summary,
    { added: true, item: items[kind], fails: ['permission_denied', 'account_private'] },
    async ({ principal, params: { user_id }, list }, deps) => {
      const { db } = deps.kernel
      const viewer = personOf(principal)
      const id = idIn(viewer, user_id)
      await requireOpen(db, deps, viewer, id)
      return await listPeople(db, list, viewer, id, kind)
    },
  )

const followRoutes = open({
  followUser: put(
    following,
    'Follow a user',
    {
      description:
        'If the account is private, it gets a follow request and the follow is `pending`. A repeated request returns the same result.',
      reply: Follow,
      fails: [
        'permission_denied',
        'account_suspended',
        'blocked_by_you',
        'follow_limit_reached',
        'cannot_follow_self',
        'rate_limited',
      ],
    },
    async ({ tx, principal, params: { user_id, target_id } }, deps) =>
      await follow(tx, deps, selfIn(principal, user_id), target_id),
  ),

  unfollowUser: del(
    following,
    'Stop following a user, or withdraw a follow request',
    {
      description: 'From the next read on, their posts are not in your feed. Every id gets 204.',
      params: { ...params, target_id: Id },
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { user_id, target_id } }) => {
      const person = selfIn(principal, user_id)
      await lockPair(tx, person, target_id)
      const pair = { follower_id: person.id, followed_id: target_id }
      await endFollow(tx, person.tenant_id, pair)
    },
  ),

  listFollowers: listFollows('followers', 'List the followers of a user, newest first'),
  listFollowing: listFollows('following', 'List the users that a user follows, newest first'),

  removeFollower: del(
    '/v1/users/me/followers/{follower_id}',
    'Remove a follower; the follower is not notified',
    { added: true, params: { follower_id: Id }, fails: ['permission_denied'] },
    async ({ tx, principal, params: { follower_id } }) => {
      const person = personOf(principal)
      await lockPair(tx, person, follower_id)
      await endFollow(tx, person.tenant_id, { follower_id, followed_id: person.id })
    },
  ),

  listFollowRequests: list(
    requests,
    'List the follow requests that you have not answered, newest first',
    { added: true, item: items.requests, fails: ['permission_denied'] },
    async ({ tx, principal, list }) => {
      const person = personOf(principal)
      return await listPeople(tx, list, person, person.id, 'requests')
    },
  ),

  acceptFollowRequest: post(
    `${request}/accept`,
    'Accept a follow request',
    {
      added: true,
      absent: 'follow_request_not_found',
      reply: Follow,
      fails: ['permission_denied', 'account_suspended'],
    },
    async ({ tx, principal, params: { follower_id } }) =>
      await acceptRequest(tx, personOf(principal), follower_id),
  ),

  rejectFollowRequest: post(
    `${request}/reject`,
    'Reject a follow request; its sender is not notified',
    { added: true, absent: 'follow_request_not_found', fails: ['permission_denied'] },
    async ({ tx, principal, params: { follower_id } }) =>
      await rejectRequest(tx, personOf(principal), follower_id),
  ),
})

export function graphRoutes(deps: Deps): readonly Route[] {
  return [...followRoutes(deps), ...blockRoutes(deps)]
}
