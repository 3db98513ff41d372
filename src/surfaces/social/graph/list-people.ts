/** Lists of people related to a person: followers, followed people, requests, blocks and mutes. */
import { Type, type Static } from 'typebox'
import { nullable, page, sql, Time, type List, type Reader, type Sql } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { blockedBetween, knowable, speaks } from '../may-see.ts'
import { Author, authorOf, AuthorRow, Follow } from '../schemas.ts'
import { Block, Mute } from './blocks.ts'

const ListedFollow = Type.Object({ ...Follow.properties, user: Author }, { title: 'ListedFollow' })
const ListedBlock = Type.Object({ ...Block.properties, user: Author }, { title: 'ListedBlock' })
const ListedMute = Type.Object({ ...Mute.properties, user: Author }, { title: 'ListedMute' })

const Row = Type.Object({
  ...AuthorRow,
  state: nullable(Type.Unsafe<'pending' | 'active'>({ type: 'string' })),
  expires_at: nullable(Time),
  created_at: Time,
  created_us: Type.Integer(),
})
type Row = Static<typeof Row>

export const items = {
  followers: ListedFollow,
  following: ListedFollow,
  requests: ListedFollow,
  blocks: ListedBlock,
  mutes: ListedMute,
}
type Kind = keyof typeof items
type Item<K extends Kind> = Static<(typeof items)[K]>

/**
 * For each kind of list: the table, the column of the owner, the column of the other person, and
 * the condition on `r`.
 */
const sources = {
  followers: ['follows', 'followed_id', 'follower_id', sql`r.state = 'active'`],
  following: ['follows', 'follower_id', 'followed_id', sql`r.state = 'active'`],
  requests: ['follows', 'followed_id', 'follower_id', sql`r.state = 'pending'`],
  blocks: ['blocks', 'blocker_id', 'blocked_id', sql`true`],
  mutes: [
    'mutes',
    'muter_id',
    'muted_id',
    sql`(r.expires_at is null or r.expires_at > kernel.now())`,
  ],
} as const satisfies Record<Kind, readonly [string, string, string, Sql]>

/**
 * Newest first. Blocked, suspended and deleted people are left out. The caller's own blocks and
 * mutes keep them, so that each can be ended, with the profile of a new account instead of one that
 * the caller may not see.
 */
export async function listPeople<K extends Kind>(
  reader: Reader,
  scope: List,
  viewer: Person,
  of: string,
  kind: K,
) {
  const { tenant_id } = viewer
  const [table, mine, other, condition] = sources[kind]
  const other_id = sql`r.${sql.id(other)}`
  const own = kind === 'blocks' || kind === 'mutes'
  const profile = own ? knownProfile(viewer) : sql`u.handle, u.display_name, u.avatar_file_id`
  const shown = own
    ? sql`u.deleted_at is null`
    : sql`${speaks} and (u.id = ${viewer.id} or not ${blockedBetween(viewer, sql`u.id`)})`
  const state = table === 'follows' ? sql`r.state` : sql`null::text`
  const expires_at = table === 'mutes' ? sql`r.expires_at` : sql`null::timestamptz`
  const created = sql`r.created_at`
  return await page(reader, {
    scope,
    row: Row,
    place: ['created_us', 'author_id'],
    view: viewOf(kind, of) as (row: Row) => Item<K>,
    fetch: (after, n) => sql`
      select u.id as author_id, ${profile},
        ${state} as state, ${expires_at} as expires_at, ${created},
        (extract(epoch from ${created}) * 1000000)::bigint as created_us
      from social.${sql.id(table)} r
      join social.users u on u.tenant_id = ${tenant_id} and u.id = ${other_id}
      where r.tenant_id = ${tenant_id} and r.${sql.id(mine)} = ${of} and ${condition} and ${shown}
        and (${after.created_us}::bigint is null or (${created}, ${other_id}) < (
          timestamptz 'epoch' + ${after.created_us}::bigint * interval '1 microsecond',
          ${after.author_id}::uuid))
      order by ${created} desc, ${other_id} desc limit ${n}`,
  })
}

function knownProfile(viewer: Person): Sql {
  const known = knowable(viewer)
  return sql`
    case when ${known} then u.handle else social.first_handle(u.id) end as handle,
    case when ${known} then u.display_name else '' end as display_name,
    case when ${known} then u.avatar_file_id end as avatar_file_id`
}

function viewOf(kind: Kind, of: string) {
  return (row: Row): Item<Kind> => {
    const user = authorOf(row)
    const { created_at, expires_at, state } = row
    if (kind === 'blocks') return { blocker_id: of, blocked_id: user.id, created_at, user }
    if (kind === 'mutes') return { muter_id: of, muted_id: user.id, expires_at, created_at, user }
    const ids =
      kind === 'following'
        ? { follower_id: of, followed_id: user.id }
        : { follower_id: user.id, followed_id: of }
    return { ...ids, state: state ?? 'active', created_at, user }
  }
}
