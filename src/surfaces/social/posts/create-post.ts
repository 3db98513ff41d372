/**
 * Creates a post. How the post reaches feeds is decided here, once. Usually the queue of fan-outs
 * pushes the post into feeds. If the author has very many followers, each read collects the post
 * from the author.
 */
import { Type, type Static } from 'typebox'
import { closed, count, Id, newId, oneOf, sql, type Tx } from '#dodeca/kernel'
import { delta_columns } from '../counters/count.ts'
import { topics, type Deps, type Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { announcePost } from '../events.ts'
import { requireWriter } from '../people/user-row.ts'
import { cleanText } from '../text.ts'
import { requireMedia } from './media.ts'
import { visibilities } from './post-view.ts'

export const Body = Type.String({ maxLength: 20_000 })
export const CreatePost = closed(
  {
    body: Type.Optional(Body),
    visibility: Type.Optional(oneOf(...visibilities)),
    media: Type.Optional(
      Type.Array(closed({ object_id: Id, position: Type.Optional(count(0, 1000)) }), {
        maxItems: 10,
      }),
    ),
  },
  { title: 'CreatePost' },
)
export type CreatePost = Static<typeof CreatePost>

const Made = Type.Object({ created_at: Type.String(), fanout_state: Type.String() })

/** Returns the id of the post. */
export async function createPost(
  tx: Tx,
  deps: Deps,
  author: Person,
  given: CreatePost,
): Promise<string> {
  const { tenant_id, id: author_id } = author
  const { visibility = 'public' } = given
  const { settings } = deps.kernel
  const body = cleanText(given.body ?? '', 'body', bodyLimits(settings))
  const media = placed(given.media ?? [])
  if (body === '' && media.length === 0) throw empty()
  await Promise.all([requireWriter(tx, author), takePost(tx, deps, author_id)])
  const files = media.map(one => one.object_id)
  await requireMedia(tx, deps, author, files, 'post_media')
  const [id, body_ref] = [newId(), body === '' ? null : newId()]
  const { created_at, fanout_state } = await tx.one(
    Made,
    sql`
      with moment as materialized (
        select kernel.now() + (clock_timestamp() - now()) as at
      ), routed as materialized (
        select case when coalesce((select k.value from social.counter_projections k
            where k.tenant_id = ${tenant_id} and k.subject_type = 'user'
              and k.subject_id = ${author_id} and k.kind = 'followers'), 0)
          > ${settings['social.push_max_followers']}::bigint then 'pull' else 'pending' end as state
      ), bodies as (
        insert into social.post_bodies (tenant_id, id, post_id, body)
        select ${tenant_id}, ${body_ref}::uuid, ${id}, ${body} where ${body_ref !== null}
      ), attached as (
        insert into social.post_media (tenant_id, post_id, object_id, position)
        select ${tenant_id}, ${id}, m.object_id, m.position
        from ${sql.table(media, { object_id: 'uuid', position: 'int4' })} m
      ), pulled as (
        insert into social.feed_pull_authors (tenant_id, author_id)
        select ${tenant_id}, ${author_id} from routed where state = 'pull' on conflict do nothing
      ), counted as (
        insert into social.counter_deltas ${delta_columns}
        values (${tenant_id}, 'user', ${author_id}, 'posts', 1)
      )
      insert into social.posts (tenant_id, id, author_id, body_ref, visibility, created_at,
        rank_or_time, fanout_state, due_at)
      select ${tenant_id}, ${id}, ${author_id}, ${body_ref}::uuid, ${visibility}, m.at,
        (extract(epoch from m.at) * 1000000)::bigint, r.state,
        case when r.state = 'pending' then kernel.now() end
      from moment m, routed r
      returning created_at, fanout_state`,
  )
  const changed = { tenant_id, id, author_id, visibility, version: 1, at: created_at }
  announcePost(tx, 'post.created', changed)
  tx.wake(topics.counters)
  if (fanout_state === 'pending') tx.wake(topics.fanouts)
  return id
}

export function bodyLimits(settings: Deps['kernel']['settings']) {
  return { graphemes: settings['social.body_graphemes'], bytes: settings['social.body_bytes'] }
}

export function empty() {
  return problem('validation_failed', {
    detail: 'A post needs a `body` or `media`.',
    errors: [{ location: 'body', pointer: '/body', constraint: 'required' }],
  })
}

/** Sorted by position; files without a position follow in the order of the request. */
function placed(media: NonNullable<CreatePost['media']>) {
  const ids = new Set(media.map(one => one.object_id))
  if (ids.size < media.length) {
    throw problem('validation_failed', {
      detail: 'Each file may be attached once.',
      errors: [{ location: 'body', pointer: '/media', constraint: 'uniqueItems' }],
    })
  }
  return media
    .map((one, at) => ({ object_id: one.object_id, wanted: one.position ?? 1000 + at }))
    .toSorted((a, b) => a.wanted - b.wanted)
    .map(({ object_id }, position) => ({ object_id, position }))
}

async function takePost(tx: Tx, { kernel: { settings, take } }: Deps, of: string): Promise<void> {
  const [short, day] = [settings['social.posts_per_5_minutes'], settings['social.posts_per_day']]
  await take(tx, [
    { name: 'social.posts', of, many: short, per_seconds: 300 },
    { name: 'social.posts_day', of, many: day, per_seconds: 86_400 },
  ])
}
