/** Routes of likes and comments. */
import { Type } from 'typebox'
import { Id, oneOf, routesOf } from '#dodeca/kernel'
import { personOf, type Deps } from '../deps.ts'
import { requirePost } from '../posts/post-view.ts'
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
const headers = { 'cache-control': 'private, no-cache' }

const { open, create, get, list, put, del } = routesOf<Deps>({
  absent: 'post_not_found',
  read: 'social.content.read',
  write: 'social.content.write',
  rate_tenant: false,
})

export const reactionRoutes = open({
  likePost: put(
    `${post}/likes/me`,
    'Like a post; repeating it answers the same',
    { reply: Like, fails: ['permission_denied', 'account_suspended', 'rate_limited'] },
    async ({ tx, principal, params: { post_id } }, deps) =>
      await like(tx, deps, personOf(principal), post_id),
  ),

  unlikePost: del(
    `${post}/likes/me`,
    'Remove a like',
    {
      description:
        'Returns 204 for every id, so that the reply does not show whether the post exists.',
      params: { post_id: Id },
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { post_id } }) =>
      await unlike(tx, personOf(principal), post_id),
  ),

  listLikes: list(
    `${post}/likes`,
    'List the users who like a post, in the order of their ids',
    { headers, added: true, item: ListedLike, fails: ['permission_denied'] },
    async ({ tx, principal, params: { post_id }, list }) => {
      const viewer = personOf(principal)
      const { id } = await requirePost(tx, viewer, post_id)
      return await listLikes(tx, list, viewer, id)
    },
  ),

  createComment: create(
    `${post}/comments`,
    'Comment on a post',
    {
      tool: 'write',
      location: `${comments}/{id}`,
      record: 'reference',
      body: CreateComment,
      reply: Comment,
      fails: [
        'comment_not_found',
        'permission_denied',
        'account_suspended',
        'validation_failed',
        'rate_limited',
      ],
    },
    {
      handle: async ({ tx, principal, params: { post_id }, body }, deps) => {
        const author = personOf(principal)
        const id = await comment(tx, deps, author, post_id, body.body)
        return await ownComment(tx, author, id)
      },
      // Rendered again, so that no recorded reply keeps the text of a deleted comment.
      again: async ({ tx, principal, resource_ref }) =>
        await ownComment(tx, personOf(principal), resource_ref.slice(comments.length + 1)),
    },
  ),

  listComments: list(
    `${post}/comments`,
    'List the comments of a post, oldest first by default',
    {
      tool: 'read',
      headers,
      added: true,
      filters: { order: Type.Optional(oneOf('asc', 'desc')) },
      item: Comment,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { post_id }, query, list }) => {
      const viewer = personOf(principal)
      const { id } = await requirePost(tx, viewer, post_id)
      return await listComments(tx, list, viewer, id, query.order ?? 'asc')
    },
  ),

  getComment: get(
    `${comments}/{comment_id}`,
    'A comment',
    {
      headers,
      added: true,
      absent: 'comment_not_found',
      reply: Comment,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { comment_id } }) =>
      await findComment(tx, personOf(principal), comment_id),
  ),

  deleteComment: del(
    `${comments}/{comment_id}`,
    'Delete a comment of yours, or on a post of yours',
    { added: true, absent: 'comment_not_found', fails: ['permission_denied'] },
    async ({ tx, principal, params: { comment_id } }) =>
      await deleteComment(tx, personOf(principal), comment_id),
  ),
})
