/** Routes of posts. */
import type { Reader, Tx } from '../../../kernel/database/db.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { page, pageQuery, UserId } from '../../../kernel/http/shapes.ts'
import { idIn, personOf, type Deps, type Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireOpen } from '../people/user-row.ts'
import { tagOf, versionTags } from '../tags.ts'
import { createPost, CreatePost } from './create-post.ts'
import { deletePosts } from './delete-posts.ts'
import { editPost, EditPost } from './edit-post.ts'
import { listPosts, listVersions, PostVersion } from './list-posts.ts'
import { lockOwnPost } from './lock-post.ts'
import { findCreated, findPost, Post } from './post-view.ts'

const path = '/v1/posts'
const one = `${path}/{post_id}` as const
const absent = 'post_not_found'
const headers = { 'cache-control': 'private, no-cache' }
const reads = { permission: 'social.content.read', rate_tenant: false, headers } as const
const writes = { permission: 'social.content.write', rate_tenant: false, headers } as const

export function postRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    getRoute(),
    editRoute(deps),
    deleteRoute(),
    versionsRoute(),
    authorRoute(deps),
  ]
}

export async function requirePost(reader: Reader, viewer: Person, id: string): Promise<Post> {
  const post = await findPost(reader, viewer, id)
  if (!post) throw problem('post_not_found')
  return post
}

const postTag = ({ version, counts, viewer, author }: Post) =>
  tagOf(version, { counts, viewer, author })

function createRoute(deps: Deps): Route {
  const created = async (tx: Tx, author: Person, id: string) => {
    const post = await findCreated(tx, author, id)
    if (!post) throw problem('post_not_found')
    return reply(201, post, { etag: postTag(post), location: `${path}/${id}` })
  }
  return route({
    method: 'POST',
    path,
    name: 'createPost',
    summary: 'Create a post',
    description:
      'When you get the reply, the post is in the feeds of your followers. Files must be your own uploads for `post_media`.',
    sends: ['etag', 'location'],
    ...writes,
    record: 'reference',
    body: CreatePost,
    refuses: {
      audience: 'visibility',
      privacy: 'visibility',
      private: 'visibility',
      visible_to: 'visibility',
      scheduled_at: null,
      expires_at: null,
    },
    replies: { 201: Post },
    fails: [
      absent,
      'permission_denied',
      'account_suspended',
      'validation_failed',
      'media_not_available',
      'rate_limited',
    ],
    handle: async ({ tx, principal, body }) => {
      const author = personOf(principal)
      return await created(tx, author, await createPost(tx, deps, author, body))
    },
    // Rendered again, so that no recorded reply keeps the text of a deleted post.
    again: ({ tx, principal, resource_ref }) =>
      created(tx, personOf(principal), resource_ref.slice(path.length + 1)),
  })
}

function getRoute(): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getPost',
    summary: 'A post',
    description: '`viewer` is exact. `counts` may lag for seconds.',
    sends: ['etag'],
    ...reads,
    absent,
    replies: { 200: Post },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { post_id } }) => {
      const post = await requirePost(tx, personOf(principal), post_id)
      return reply(200, post, { etag: postTag(post) })
    },
  })
}

function editRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path: one,
    name: 'editPost',
    summary: 'Change the text or the visibility of a post',
    sends: ['etag'],
    ...writes,
    added: true,
    absent,
    body: EditPost,
    replies: { 200: Post },
    fails: [
      absent,
      'permission_denied',
      'account_suspended',
      'validation_failed',
      'too_many_edits',
      'precondition_failed',
    ],
    handle: async ({ tx, principal, params: { post_id }, body, request }) => {
      const author = personOf(principal)
      await editPost(tx, deps, author, post_id, body, versionTags(request.headers['if-match']))
      const post = await requirePost(tx, author, post_id)
      return reply(200, post, { etag: postTag(post) })
    },
  })
}

function deleteRoute(): Route {
  return route({
    method: 'DELETE',
    path: one,
    name: 'deletePost',
    summary: 'Delete a post',
    description:
      'When you get the reply, the post is removed from all feeds and its text is deleted.',
    ...writes,
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { post_id } }) => {
      const author = personOf(principal)
      const { deleted } = await lockOwnPost(tx, author, post_id)
      if (!deleted) await deletePosts(tx, author.tenant_id, [post_id])
      return reply(204, null)
    },
  })
}

function versionsRoute(): Route {
  return route({
    method: 'GET',
    path: `${one}/versions`,
    name: 'listPostVersions',
    summary: 'List the current and earlier texts of a post, newest first',
    ...reads,
    added: true,
    absent,
    query: pageQuery({}),
    replies: { 200: page(PostVersion) },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { post_id }, list }) => {
      const viewer = personOf(principal)
      await requirePost(tx, viewer, post_id)
      const { body, headers: links } = await listVersions(tx, list, viewer, post_id)
      return reply(200, body, links)
    },
  })
}

function authorRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/users/{user_id}/posts',
    name: 'listUserPosts',
    summary: 'List the posts of a user that you may see, newest first',
    ...reads,
    params: { user_id: UserId },
    absent: 'user_not_found',
    query: pageQuery({}),
    replies: { 200: page(Post) },
    fails: ['user_not_found', 'permission_denied', 'account_private'],
    handle: async ({ principal, params: { user_id }, list }) => {
      const { db } = deps.kernel
      const viewer = personOf(principal)
      const author_id = idIn(viewer, user_id)
      await requireOpen(db, deps, viewer, author_id)
      const { body, headers: links } = await listPosts(db, list, viewer, author_id)
      return reply(200, body, links)
    },
  })
}
