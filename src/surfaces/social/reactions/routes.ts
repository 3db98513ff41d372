/** Routes of likes and comments. */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id, oneOf, page, pageQuery } from '../../../kernel/http/shapes.ts'
import { personOf, type Deps, type Person } from '../deps.ts'
import { requirePost } from '../posts/routes.ts'
import {
  comment,
  Comment,
  CreateComment,
  deleteComment,
  findComment,
  ownComment,
} from './comment.ts'
import { like, Like, unlike } from './like.ts'
import { listComments, listLikes, ListedLike } from './list-reactions.ts'

const post = '/v1/posts/{post_id}' as const
const comments = '/v1/comments'
const absent = 'post_not_found'
const reads = {
  permission: 'social.content.read',
  rate_tenant: false,
  headers: { 'cache-control': 'private, no-cache' },
} as const
const writes = { permission: 'social.content.write', rate_tenant: false } as const

export function reactionRoutes(deps: Deps): readonly Route[] {
  return [
    likeRoute(deps),
    unlikeRoute(),
    likesRoute(),
    commentRoute(deps),
    commentsRoute(),
    getRoute(),
    deleteRoute(),
  ]
}

function likeRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: `${post}/likes/me`,
    name: 'likePost',
    summary: 'Like a post; repeating it answers the same',
    ...writes,
    absent,
    replies: { 200: Like },
    fails: [absent, 'permission_denied', 'account_suspended', 'rate_limited'],
    handle: async ({ tx, principal, params: { post_id } }) =>
      reply(200, await like(tx, deps, personOf(principal), post_id)),
  })
}

function unlikeRoute(): Route {
  return route({
    method: 'DELETE',
    path: `${post}/likes/me`,
    name: 'unlikePost',
    summary: 'Remove a like',
    description:
      'Returns 204 for every id, so that the reply does not show whether the post exists.',
    ...writes,
    params: { post_id: Id },
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { post_id } }) => {
      await unlike(tx, personOf(principal), post_id)
      return reply(204, null)
    },
  })
}

function likesRoute(): Route {
  return route({
    method: 'GET',
    path: `${post}/likes`,
    name: 'listLikes',
    summary: 'List the users who like a post, in the order of their ids',
    ...reads,
    added: true,
    absent,
    query: pageQuery({}),
    replies: { 200: page(ListedLike) },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { post_id }, list }) => {
      const viewer = personOf(principal)
      const { id } = await requirePost(tx, viewer, post_id)
      const { body, headers } = await listLikes(tx, list, viewer, id)
      return reply(200, body, headers)
    },
  })
}

function commentRoute(deps: Deps): Route {
  const created = async (tx: Tx, author: Person, id: string) =>
    reply(201, await ownComment(tx, author, id), { location: `${comments}/${id}` })
  return route({
    method: 'POST',
    path: `${post}/comments`,
    name: 'createComment',
    summary: 'Comment on a post',
    sends: ['location'],
    ...writes,
    absent,
    record: 'reference',
    body: CreateComment,
    replies: { 201: Comment },
    fails: [
      absent,
      'comment_not_found',
      'permission_denied',
      'account_suspended',
      'validation_failed',
      'rate_limited',
    ],
    handle: async ({ tx, principal, params: { post_id }, body }) => {
      const author = personOf(principal)
      return await created(tx, author, await comment(tx, deps, author, post_id, body.body))
    },
    // Rendered again, so that no recorded reply keeps the text of a deleted comment.
    again: ({ tx, principal, resource_ref }) =>
      created(tx, personOf(principal), resource_ref.slice(comments.length + 1)),
  })
}

function commentsRoute(): Route {
  return route({
    method: 'GET',
    path: `${post}/comments`,
    name: 'listComments',
    summary: 'List the comments of a post, oldest first by default',
    ...reads,
    added: true,
    absent,
    query: pageQuery({ order: Type.Optional(oneOf('asc', 'desc')) }),
    replies: { 200: page(Comment) },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { post_id }, query, list }) => {
      const viewer = personOf(principal)
      const { id } = await requirePost(tx, viewer, post_id)
      const { body, headers } = await listComments(tx, list, viewer, id, query.order ?? 'asc')
      return reply(200, body, headers)
    },
  })
}

function getRoute(): Route {
  return route({
    method: 'GET',
    path: `${comments}/{comment_id}`,
    name: 'getComment',
    summary: 'A comment',
    ...reads,
    added: true,
    absent: 'comment_not_found',
    replies: { 200: Comment },
    fails: ['comment_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { comment_id } }) =>
      reply(200, await findComment(tx, personOf(principal), comment_id)),
  })
}

function deleteRoute(): Route {
  return route({
    method: 'DELETE',
    path: `${comments}/{comment_id}`,
    name: 'deleteComment',
    summary: 'Delete a comment of yours, or on a post of yours',
    ...writes,
    added: true,
    absent: 'comment_not_found',
    replies: { 204: null },
    fails: ['comment_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { comment_id } }) => {
      await deleteComment(tx, personOf(principal), comment_id)
      return reply(204, null)
    },
  })
}
