/**
 * The home feed: posts of the people whom the caller follows, and the caller's own, newest first.
 */
import { Type } from 'typebox'
import { count, Id, oneOf, pageOf, pageQuery, reply, routesOf } from '#dodeca/kernel'
import type { CursorPart, List } from '#dodeca/kernel'
import { personOf, type Deps, type Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { Post, postOf } from '../posts/post-view.ts'
import type { Place } from './feed-statement.ts'
import { chargePull, noteRead } from './note-read.ts'
import { newest, readFeed } from './read-feed.ts'

const FeedItem = Type.Object(
  {
    post_id: Id,
    rank_or_time: count(0, Number.MAX_SAFE_INTEGER),
    source_author_id: Id,
    reason: Type.Object({ kind: oneOf('following', 'self') }, { title: 'FeedReason' }),
    post: Post,
  },
  { title: 'FeedItem' },
)

const { open, get } = routesOf<Deps>()

export const feedRoutes = open({
  getFeed: get(
    '/v1/feed',
    'Your home feed, newest first',
    {
      tool: 'read',
      description:
        'A new post is in the feed when the request that created it gets its reply. A post that is deleted or hidden is gone when that request gets its reply. Only the last page may be short, and a cursor never expires.',
      permission: 'social.content.read',
      rate_tenant: false,
      query: pageQuery({}),
      headers: { 'cache-control': 'private, no-store' },
      reply: pageOf(FeedItem),
      fails: ['permission_denied', 'rate_limited'],
    },
    async ({ principal, list }, deps) => {
      const viewer = personOf(principal)
      const { cursors, db } = deps.kernel
      const { after, limit, fetch } = cursors.start(list)
      const found = await readFeed(db, viewer, {
        after: placeOf(viewer, after),
        want: fetch,
        beforePull: chargePull(deps, viewer),
      })
      await noteRead(deps, viewer, found)
      const { body, headers } = feedPage(list, viewer, found, fetch)
      const data = body.data.flatMap(({ post }) => (post ? [itemOf(viewer, post)] : []))
      const page_body = { ...body, data: data.slice(0, limit) }
      return reply(200, page_body, headers)
    },
  ),
})

/** A cursor can be used only with the feed that it came from. */
function placeOf({ id }: Person, after: CursorPart[] | null): Place {
  if (!after) return newest
  const [reader_id, rank_or_time, post_id] = after
  if (after.length !== 3 || reader_id !== id) throw problem('invalid_cursor')
  return { rank_or_time: Number(rank_or_time), id: String(post_id) }
}

type Found = Awaited<ReturnType<typeof readFeed>>
type Row = { readonly post: Found['posts'][number] | null; readonly place: Place }

/**
 * A page that ended before it was full gets an extra item with the position where it ended, so that
 * it has a cursor.
 */
function feedPage(scope: List, { id }: Person, { posts, resume }: Found, fetch: number) {
  const rows: Row[] = posts.map(post => ({ post, place: post }))
  if (resume) while (rows.length < fetch) rows.push({ post: null, place: resume })
  return scope.cursors.page(scope, rows, ({ place }) => [id, place.rank_or_time, place.id])
}

function itemOf({ id }: Person, row: Found['posts'][number]) {
  return {
    post_id: row.id,
    rank_or_time: row.rank_or_time,
    source_author_id: row.author_id,
    reason: { kind: row.author_id === id ? ('self' as const) : ('following' as const) },
    post: postOf(row),
  }
}
