/**
 * Reads a page of a feed. Rounds repeat until the page is full, so that posts that the viewer may
 * not see do not shorten it. Below the floor of a warm feed, and if the feed is not warm, posts are
 * collected from their authors. A page that is still not full after the last round returns the
 * position where to continue.
 */
import type { Static } from 'typebox'
import { nil_id, type Reader } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import type { PostRow } from '../posts/post-view.ts'
import { type Mode, type Place, RoundRow, roundStatement } from './feed-statement.ts'

const rounds_max = 7
const look_max = 512
/** With many authors, each author costs its own index lookup. */
const look_max_pull = 128

export const newest: Place = {
  rank_or_time: Number.MAX_SAFE_INTEGER,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

export type FeedPage = {
  readonly posts: readonly PostRow[]
  /** The position where the last round ended. Null if the page is full or nothing follows. */
  readonly resume: Place | null
  /** Whether the feed was warm when it was read; null if that was not checked. */
  readonly warm: boolean | null
  readonly rested: boolean
}

export type FeedQuery = {
  readonly after: Place
  /** One post more than the page can contain, to find out whether more posts follow. */
  readonly want: number
  readonly mode?: Mode
  /** Called before a round that collects from authors. */
  readonly beforePull?: () => Promise<void>
}

export async function readFeed(
  reader: Reader,
  viewer: Person,
  { after, want, mode: begin = 'push', beforePull }: FeedQuery,
): Promise<FeedPage> {
  const posts: PostRow[] = []
  let [from, mode, look] = [after, begin, Math.ceil(want * 1.5)]
  let warm: boolean | null = null
  let rested = false
  for (let round = 0; round < rounds_max; round++) {
    if (mode === 'pull') await beforePull?.()
    const asked = { viewer, mode, after: from, look, want: want - posts.length }
    const rows: Static<typeof RoundRow>[] = await reader.many(RoundRow, roundStatement(asked))
    const [head] = rows
    if (!head) throw new Error('a round has at least one row')
    if (mode === 'push') {
      warm ??= head.floor_rank !== null
      rested ||= head.rested
    }
    posts.push(...rows.filter(row => row.id !== null).map(row => row as unknown as PostRow))
    if (posts.length >= want) return { posts, resume: null, warm, rested }
    if (head.looked >= look && head.last_rank !== null && head.last_id !== null) {
      from = { rank_or_time: head.last_rank, id: head.last_id }
      look = Math.min(look * 2, mode === 'push' ? look_max : look_max_pull)
    } else {
      const floor = mode === 'push' ? (head.floor_rank ?? Infinity) : 0
      if (floor === 0) return { posts, resume: null, warm, rested }
      // Everything down to the floor was read.
      if (floor < from.rank_or_time) from = { rank_or_time: floor, id: nil_id }
      mode = 'pull'
      look = Math.min(look, look_max_pull)
    }
  }
  return { posts, resume: from, warm, rested }
}
