/** Routes of posts. */
import { reply, routesOf, UserId } from '#dodeca/kernel'
import { idIn, personOf, type Deps } from '../deps.ts'
import { requireOpen } from '../people/user-row.ts'
import { tagOf, versionTags } from '../tags.ts'
import { createPost, CreatePost } from './create-post.ts'
import { deletePosts } from './delete-posts.ts'
import { editPost, EditPost } from './edit-post.ts'
import { listPosts, listVersions, PostVersion } from './list-posts.ts'
import { lockOwnPost } from './lock-post.ts'
import { Post, requireCreated, requirePost } from './post-view.ts'

const path = '/v1/posts'
const one = `${path}/{post_id}` as const
const headers = { 'cache-control': 'private, no-cache' }

const { open, create, get, list, patch, del } = routesOf<Deps>({
  absent: 'post_not_found',
  read: 'social.content.read',
  write: 'social.content.write',
  rate_tenant: false,
})

const tagged = ({ version, counts, viewer, author }: Post) => ({
  etag: tagOf(version, { counts, viewer, author }),
})

export const postRoutes = open({
  createPost: create(
    path,
    'Create a post',
    {
      tool: 'write',
      description:
        'When you get the reply, the post is in the feeds of your followers. Files must be your own uploads for `post_media`.',
      headers,
      record: 'reference',
      body: CreatePost,
      instead: {
        audience: 'visibility',
        privacy: 'visibility',
        private: 'visibility',
        visible_to: 'visibility',
      },
      reply: Post,
      fails: [
        'post_not_found',
        'permission_denied',
        'account_suspended',
        'validation_failed',
        'media_not_available',
        'rate_limited',
      ],
    },
    {
      handle: async ({ tx, principal, body }, deps) => {
        const author = personOf(principal)
        const id = await createPost(tx, deps, author, body)
        const post = await requireCreated(tx, author, id)
        return reply(201, post, tagged(post))
      },
      // Rendered again, so that no recorded reply keeps the text of a deleted post.
      again: async ({ tx, principal, resource_ref }) => {
        const id = resource_ref.slice(path.length + 1)
        const post = await requireCreated(tx, personOf(principal), id)
        return reply(201, post, tagged(post))
      },
    },
  ),

  getPost: get(
    one,
    'A post',
    {
      tool: 'read',
      description: '`viewer` is exact. `counts` may lag for seconds.',
      headers,
      reply: Post,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { post_id } }) => {
      const post = await requirePost(tx, personOf(principal), post_id)
      return reply(200, post, tagged(post))
    },
  ),

  editPost: patch(
    one,
    'Change the text or the visibility of a post',
    {
      headers,
      added: true,
      body: EditPost,
      reply: Post,
      fails: [
        'permission_denied',
        'account_suspended',
        'validation_failed',
        'too_many_edits',
        'precondition_failed',
      ],
    },
    async ({ tx, principal, params: { post_id }, body, if_match }, deps) => {
      const author = personOf(principal)
      await editPost(tx, deps, author, post_id, body, versionTags(if_match))
      const post = await requirePost(tx, author, post_id)
      return reply(200, post, tagged(post))
    },
  ),

  deletePost: del(
    one,
    'Delete a post',
    {
      description:
        'When you get the reply, the post is removed from all feeds and its text is deleted.',
      headers,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { post_id } }) => {
      const author = personOf(principal)
      const { deleted } = await lockOwnPost(tx, author, post_id)
      if (!deleted) await deletePosts(tx, author.tenant_id, [post_id])
    },
  ),

  listPostVersions: list(
    `${one}/versions`,
    'List the current and earlier texts of a post, newest first',
    { headers, added: true, item: PostVersion, fails: ['permission_denied'] },
    async ({ tx, principal, params: { post_id }, list }) => {
      const viewer = personOf(principal)
      await requirePost(tx, viewer, post_id)
      return await listVersions(tx, list, viewer, post_id)
    },
  ),

  listUserPosts: list(
    '/v1/users/{user_id}/posts',
    'List the posts of a user that you may see, newest first',
    {
      tool: 'read',
      headers,
      absent: 'user_not_found',
      params: { user_id: UserId },
      item: Post,
      fails: ['permission_denied', 'account_private'],
    },
    async ({ principal, params: { user_id }, list }, deps) => {
      const { db } = deps.kernel
      const viewer = personOf(principal)
      const author_id = idIn(viewer, user_id)
      await requireOpen(db, deps, viewer, author_id)
      return await listPosts(db, list, viewer, author_id)
    },
  ),
})
