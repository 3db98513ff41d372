/**
 * Notifies people about actions of others: follows, requests, comments and likes. There is no
 * notice across a block or a mute, and none about a person's own action. The texts contain no
 * names, so that no inbox keeps the name of an erased person.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, sql, type Consumer, type LoggedEvent, type Tx } from '#dodeca/kernel'
import type { Notice } from '../notifications/face.ts'
import type { Deps } from './deps.ts'
import { blockedBetween, speaks } from './may-see.ts'

const Followed = Type.Object({ follower_id: Id, followed_id: Id })
const Liked = Type.Object({ post_id: Id, user_id: Id })
const Commented = Type.Object({ post_id: Id, author_id: Id })

/** A follow, a request, a like or a comment, and the text about it for its recipient. */
type Activity = {
  readonly event_id: string
  readonly tenant_id: string
  readonly from: string
  readonly to: string | null
  readonly post_id: string | null
  readonly subject: string
  readonly text: string
  readonly path: string
} & Pick<Notice, 'dedupe' | 'digest'>

type Addressed = Activity & { readonly to: string }

const week_seconds = 604_800
const digest_seconds = 300

export function noticeConsumer({ kernel, messages }: Pick<Deps, 'kernel' | 'messages'>): Consumer {
  const noticeOf = ({ event_id, tenant_id, to, subject, text, path, ...more }: Addressed) => ({
    tenant_id,
    key: `event:${event_id}`,
    user_id: to,
    category: 'social.activity',
    template: 'notice',
    data: { subject, paragraphs: [text], url: `${kernel.public_url}${path}` },
    channels: ['in_app' as const],
    ...(more.dedupe ? { dedupe: more.dedupe } : {}),
    ...(more.digest ? { digest: more.digest } : {}),
  })
  const notify = async (tx: Tx, events: readonly LoggedEvent[]): Promise<void> => {
    const addressed = await addressedOnly(tx, events.map(activityOf))
    const visible = await withoutHidden(tx, addressed)
    if (visible.length > 0) await messages.notifyAll(tx, visible.map(noticeOf))
  }
  return {
    name: 'social.notices',
    events: ['follow.requested', 'follow.activated', 'post.liked', 'comment.created'],
    run: (tx, event) => notify(tx, [event]),
    runAll: notify,
    portion: 50,
  }
}

function activityOf({ id: event_id, type, tenant_id, payload }: LoggedEvent): Activity {
  const of = { event_id, tenant_id }
  if (type.startsWith('follow.')) {
    if (!Value.Check(Followed, payload)) throw new Error('not an event of a follow')
    const { follower_id, followed_id } = payload
    return { ...of, ...followActivity(follower_id, type === 'follow.requested'), to: followed_id }
  }
  if (type === 'post.liked') {
    if (!Value.Check(Liked, payload)) throw new Error('not an event of a like')
    return { ...of, ...postActivity('likes', payload.post_id), from: payload.user_id }
  }
  if (!Value.Check(Commented, payload)) throw new Error('not an event of a comment')
  return { ...of, ...postActivity('comments', payload.post_id), from: payload.author_id }
}

function followActivity(follower_id: string, asks: boolean) {
  return {
    from: follower_id,
    post_id: null,
    subject: asks ? 'You have a follow request' : 'You have a new follower',
    text: asks ? 'Somebody would like to follow you.' : 'Somebody follows you.',
    path: `/v1/users/${follower_id}`,
    dedupe: {
      key: `${asks ? 'request' : 'follow'}:${follower_id}`,
      window_seconds: week_seconds,
    },
  }
}

function postActivity(kind: 'likes' | 'comments', post_id: string) {
  const liked = kind === 'likes'
  return {
    to: null,
    post_id,
    subject: liked ? 'Your post was liked' : 'Your post has a new comment',
    text: liked ? 'Somebody likes your post.' : 'Somebody commented on your post.',
    path: `/v1/posts/${post_id}`,
    digest: { key: `${kind}:${post_id}`, window_seconds: digest_seconds },
  }
}

const Author = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  author_id: Type.String(),
})

/** A post's activity goes to its author. Deleted posts and a person's own activity are left out. */
async function addressedOnly(tx: Tx, activities: readonly Activity[]): Promise<Addressed[]> {
  const posts = activities.flatMap(({ tenant_id, post_id: id }) => (id ? [{ tenant_id, id }] : []))
  const found =
    posts.length === 0
      ? []
      : await tx.many(
          Author,
          sql`
            select distinct p.tenant_id, p.id, p.author_id
            from ${sql.table(posts, { tenant_id: 'uuid', id: 'uuid' })} w
            join social.posts p on p.tenant_id = w.tenant_id and p.id = w.id
            where p.deleted_at is null`,
        )
  const authors = new Map(found.map(one => [`${one.tenant_id} ${one.id}`, one.author_id]))
  return activities.flatMap(one => {
    const to = one.to ?? authors.get(`${one.tenant_id} ${one.post_id}`)
    return to === undefined || to === one.from ? [] : [{ ...one, to }]
  })
}

const Visible = Type.Object({ event_id: Type.String() })

/** Leaves out activity of people who are blocked, muted, suspended or deleted. */
async function withoutHidden(
  tx: Tx,
  addressed: readonly Addressed[],
): Promise<readonly Addressed[]> {
  if (addressed.length === 0) return addressed
  const pairs = addressed.map(({ event_id, tenant_id, from, to }) => ({
    event_id,
    tenant_id,
    sender_id: from,
    recipient_id: to,
  }))
  const columns = { event_id: 'uuid', tenant_id: 'uuid', sender_id: 'uuid', recipient_id: 'uuid' }
  const recipient = { tenant_id: sql`w.tenant_id`, id: sql`w.recipient_id` }
  const found = await tx.many(
    Visible,
    sql`
      select w.event_id
      from ${sql.table(pairs, columns)} w
      join social.users u on u.tenant_id = w.tenant_id and u.id = w.sender_id
      where ${speaks} and not ${blockedBetween(recipient, sql`u.id`)}
        and not exists (select from social.mutes m where m.tenant_id = w.tenant_id
          and m.muter_id = w.recipient_id and m.muted_id = u.id
          and (m.expires_at is null or m.expires_at > kernel.now()))`,
  )
  const visible = new Set(found.map(one => one.event_id))
  return addressed.filter(one => visible.has(one.event_id))
}
