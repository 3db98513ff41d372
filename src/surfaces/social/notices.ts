/**
 * Notifies people about actions of others: follows, requests, comments and likes. There is no
 * notice across a block or a mute, and none about a person's own action. The texts contain no
 * names, so that no inbox keeps the name of an erased person.
 */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Tx } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import { Id } from '../../kernel/http/shapes.ts'
import type { Consumer } from '../../kernel/surface.ts'
import type { Notice } from '../notifications/face.ts'
import type { Deps, Person } from './deps.ts'
import { blockedBetween, speaks } from './people/visible.ts'

const Followed = Type.Object({ follower_id: Id, followed_id: Id })
const Liked = Type.Object({ post_id: Id, user_id: Id })
const Commented = Type.Object({ post_id: Id, author_id: Id })

type NewNotice = {
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly path: string
} & Pick<Notice, 'dedupe' | 'digest'>

const week_seconds = 604_800
const digest_seconds = 300

export function noticeConsumer({ kernel, messages }: Pick<Deps, 'kernel' | 'messages'>): Consumer {
  return {
    name: 'social.notices',
    events: ['follow.requested', 'follow.activated', 'post.liked', 'comment.created'],
    run: async (tx, { id: event_id, type, tenant_id, payload }) => {
      const notice = await noticeOf(tx, tenant_id, type, payload)
      if (!notice || notice.to === notice.from) return
      if (!(await welcome(tx, { tenant_id, id: notice.to }, notice.from))) return
      const { to, subject, text, path, dedupe, digest } = notice
      await messages.notify(tx, {
        tenant_id,
        key: `event:${event_id}`,
        user_id: to,
        category: 'social.activity',
        template: 'notice',
        data: { subject, paragraphs: [text], url: `${kernel.public_url}${path}` },
        channels: ['in_app'],
        ...(dedupe ? { dedupe } : {}),
        ...(digest ? { digest } : {}),
      })
    },
  }
}

async function noticeOf(
  tx: Tx,
  tenant_id: string,
  type: string,
  payload: unknown,
): Promise<NewNotice | undefined> {
  if (type.startsWith('follow.')) {
    if (!Value.Check(Followed, payload)) throw new Error('not an event of a follow')
    return followNotice(payload, type === 'follow.requested')
  }
  const liked = type === 'post.liked'
  if (!Value.Check(liked ? Liked : Commented, payload)) throw new Error('not an event of a post')
  const { post_id } = payload
  const to = await authorOf(tx, tenant_id, post_id)
  const from = liked
    ? (payload as Static<typeof Liked>).user_id
    : (payload as Static<typeof Commented>).author_id
  if (to === undefined) return undefined
  return {
    to,
    from,
    subject: liked ? 'Your post was liked' : 'Your post has a new comment',
    text: liked ? 'Somebody likes your post.' : 'Somebody commented on your post.',
    path: `/v1/posts/${post_id}`,
    digest: { key: `${liked ? 'likes' : 'comments'}:${post_id}`, window_seconds: digest_seconds },
  }
}

function followNotice(
  { follower_id, followed_id }: Static<typeof Followed>,
  asks: boolean,
): NewNotice {
  return {
    to: followed_id,
    from: follower_id,
    subject: asks ? 'You have a follow request' : 'You have a new follower',
    text: asks ? 'Somebody would like to follow you.' : 'Somebody follows you.',
    path: `/v1/users/${follower_id}`,
    dedupe: {
      key: `${asks ? 'request' : 'follow'}:${follower_id}`,
      window_seconds: week_seconds,
    },
  }
}

const Author = Type.Object({ author_id: Type.String() })

async function authorOf(tx: Tx, tenant_id: string, post_id: string): Promise<string | undefined> {
  const found = await tx.maybe(
    Author,
    sql`
      select author_id from social.posts
      where tenant_id = ${tenant_id} and id = ${post_id} and deleted_at is null`,
  )
  return found?.author_id
}

const Welcome = Type.Object({ welcome: Type.Boolean() })

async function welcome(tx: Tx, to: Person, from: string): Promise<boolean> {
  const found = await tx.maybe(
    Welcome,
    sql`
      select ${speaks} and not ${blockedBetween(to, sql`u.id`)}
        and not exists (select from social.mutes m where m.tenant_id = ${to.tenant_id}
          and m.muter_id = ${to.id} and m.muted_id = u.id
          and (m.expires_at is null or m.expires_at > kernel.now())) as welcome
      from social.users u where u.tenant_id = ${to.tenant_id} and u.id = ${from}`,
  )
  return found?.welcome ?? false
}
