/**
 * The data that social stores about a person, in every tenant. Erasing keeps posts and comments as
 * rows without text, and an empty profile whose handle stays taken. Likes, follows, blocks, mutes
 * and feeds are deleted. Erasing works in portions and skips rows that are already erased, so it
 * can be repeated.
 */
import { Type, type Static } from 'typebox'
import type { Tx } from '../../kernel/database/db.ts'
import { sql, type Sql } from '../../kernel/database/sql.ts'
import type { Personal } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { delta_columns } from './counters/count.ts'
import { endFollow } from './graph/unfollow.ts'
import { deletePosts } from './posts/delete-posts.ts'
import { deleteComments } from './reactions/comment.ts'

const portion = 200
const Item = Type.Object({
  tenant_id: Type.String(),
  owner_id: Type.String(),
  id: Type.String(),
  data: Type.Unknown(),
})
type Item = Static<typeof Item>
const Row = Type.Object({ tenant_id: Type.String(), id: Type.String() })

type Needs = Pick<Deps, 'kernel'>

export function personalSocial({ kernel }: Needs): Personal {
  return {
    export: async function* ({ principal_ids }) {
      for (const [kind, statement] of Object.entries(exports)) {
        for (let after: Item | null = null; ;) {
          const rows: Item[] = await kernel.db.many(Item, statement(principal_ids, after))
          for (const { data } of rows) yield { kind, data }
          if (rows.length < portion) break
          after = rows.at(-1) ?? null
        }
      }
    },
    hide: async (tx, { principal_ids }) => {
      await eraseProfile(tx, principal_ids)
    },
    erase: async ({ principal_ids }, signal) => {
      for (const erase of erasures) {
        let erased = 1
        while (erased > 0) {
          signal.throwIfAborted()
          erased = await kernel.db.tx(tx => erase(tx, principal_ids))
        }
      }
    },
  }
}

type Ids = readonly string[]

/**
 * Reads the next portion of the rows of `from`, as JSON. An id alone is not unique: two people like
 * one post, and a person follows the same one in two tenants.
 */
function exported(tenant: Sql, owner: Sql, id: Sql, from: Sql, condition: Sql, data: Sql) {
  return (ids: Ids, after: Omit<Item, 'data'> | null): Sql => sql`
    -- any tenant: what one person keeps here
    select ${tenant} as tenant_id, ${owner} as owner_id, ${id} as id, ${data} as data from ${from}
    where ${owner} = any(${ids}::uuid[]) and ${condition} and (${after === null} or
      (${tenant}, ${owner}, ${id}) > (${after?.tenant_id ?? null}::uuid,
        ${after?.owner_id ?? null}::uuid, ${after?.id ?? null}::uuid))
    order by ${tenant}, ${owner}, ${id} limit ${portion}`
}

const always = sql`true`

const exports = {
  profile: exported(
    sql`u.tenant_id`,
    sql`u.id`,
    sql`u.id`,
    sql`social.users u`,
    sql`u.deleted_at is null`,
    sql`jsonb_build_object('tenant_id', u.tenant_id, 'id', u.id, 'handle', u.handle,
      'display_name', u.display_name, 'bio', u.bio, 'avatar_file_id', u.avatar_file_id,
      'privacy_state', u.privacy_state, 'created_at', u.created_at)`,
  ),
  post: exported(
    sql`p.tenant_id`,
    sql`p.author_id`,
    sql`p.id`,
    sql`social.posts p left join social.post_bodies b
      on b.tenant_id = p.tenant_id and b.id = p.body_ref`,
    sql`p.deleted_at is null`,
    sql`jsonb_build_object('id', p.id, 'body', b.body, 'visibility', p.visibility,
      'created_at', p.created_at, 'edited_at', p.edited_at, 'versions', (
        select jsonb_agg(jsonb_build_object('body', w.body, 'edited_at', v.edited_at))
        from social.post_versions v
        join social.post_bodies w on w.tenant_id = v.tenant_id and w.id = v.body_ref
        where v.tenant_id = p.tenant_id and v.post_id = p.id))`,
  ),
  comment: exported(
    sql`c.tenant_id`,
    sql`c.author_id`,
    sql`c.id`,
    sql`social.comments c`,
    sql`c.deleted_at is null`,
    sql`jsonb_build_object('id', c.id, 'post_id', c.post_id, 'body', c.body,
      'created_at', c.created_at)`,
  ),
  like: exported(
    sql`l.tenant_id`,
    sql`l.user_id`,
    sql`l.post_id`,
    sql`social.likes l`,
    always,
    sql`jsonb_build_object('post_id', l.post_id, 'created_at', l.created_at)`,
  ),
  follow: exported(
    sql`f.tenant_id`,
    sql`f.follower_id`,
    sql`f.followed_id`,
    sql`social.follows f`,
    always,
    sql`jsonb_build_object('followed_id', f.followed_id, 'state', f.state,
      'created_at', f.created_at)`,
  ),
  block: exported(
    sql`b.tenant_id`,
    sql`b.blocker_id`,
    sql`b.blocked_id`,
    sql`social.blocks b`,
    always,
    sql`jsonb_build_object('blocked_id', b.blocked_id, 'created_at', b.created_at)`,
  ),
  mute: exported(
    sql`m.tenant_id`,
    sql`m.muter_id`,
    sql`m.muted_id`,
    sql`social.mutes m`,
    always,
    sql`jsonb_build_object('muted_id', m.muted_id, 'expires_at', m.expires_at)`,
  ),
  report: exported(
    sql`r.tenant_id`,
    sql`r.reporter_id`,
    sql`r.id`,
    sql`social.moderation_reports r`,
    always,
    sql`jsonb_build_object('id', r.id, 'category', r.category, 'note', r.note,
      'created_at', r.created_at)`,
  ),
  decision: exported(
    sql`a.tenant_id`,
    sql`c.subject_author_id`,
    sql`a.id`,
    sql`social.moderation_actions a join social.moderation_cases c
      on c.tenant_id = a.tenant_id and c.id = a.case_id and a.action not in ('assign', 'dismiss')`,
    always,
    sql`jsonb_build_object('case_id', c.id, 'subject_type', c.subject_type,
      'subject_id', c.subject_id, 'action', a.action, 'reason_code', a.reason_code,
      'statement', a.statement, 'appeal_statement', c.appeal_statement,
      'created_at', a.created_at)`,
  ),
} as const

/** Each function erases a portion and returns how many rows it found. */
const erasures: readonly ((tx: Tx, ids: Ids) => Promise<number>)[] = [
  eraseProfile,
  erasePosts,
  eraseComments,
  eraseLikes,
  eraseFollows,
  (tx, ids) => eraseRows(tx, 'blocks', sql`t.blocker_id = any(${ids}::uuid[])`),
  (tx, ids) => eraseRows(tx, 'blocks', sql`t.blocked_id = any(${ids}::uuid[])`),
  (tx, ids) => eraseRows(tx, 'mutes', sql`t.muter_id = any(${ids}::uuid[])`),
  (tx, ids) => eraseRows(tx, 'mutes', sql`t.muted_id = any(${ids}::uuid[])`),
  (tx, ids) => eraseRows(tx, 'feed_entries', sql`t.user_id = any(${ids}::uuid[])`),
  (tx, ids) => eraseRows(tx, 'feed_state', sql`t.user_id = any(${ids}::uuid[])`),
  (tx, ids) => eraseRows(tx, 'feed_pending_sources', sql`t.user_id = any(${ids}::uuid[])`),
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: what one person wrote to the moderators
      update social.moderation_reports set note = null where (tenant_id, id) in (
        select tenant_id, id from social.moderation_reports
        where reporter_id = any(${ids}::uuid[]) and note is not null limit ${portion})`),
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: what one person wrote to the moderators
      update social.moderation_cases set appeal_statement = null where (tenant_id, id) in (
        select tenant_id, id from social.moderation_cases
        where subject_author_id = any(${ids}::uuid[]) and appeal_statement is not null
        limit ${portion})`),
]

/** Hides the posts and comments of the person too: each read checks `deleted_at` of the author. */
function eraseProfile(tx: Tx, ids: Ids): Promise<number> {
  return tx.run(sql`
    -- any tenant: what one person said of themselves
    update social.users
    set handle = social.reserved_handle(handle), display_name = '', bio = '',
      avatar_file_id = null, deleted_at = kernel.now(), profile_version = profile_version + 1
    where id = any(${ids}::uuid[]) and deleted_at is null`)
}

async function erasePosts(tx: Tx, ids: Ids): Promise<number> {
  const rows = await tx.many(
    Row,
    sql`
      -- any tenant: what one person posted
      select tenant_id, id from social.posts
      where author_id = any(${ids}::uuid[]) and deleted_at is null limit ${portion}`,
  )
  for (const [tenant_id, own] of Map.groupBy(rows, row => row.tenant_id)) {
    await deletePosts(
      tx,
      tenant_id,
      own.map(row => row.id),
    )
  }
  return rows.length
}

async function eraseComments(tx: Tx, ids: Ids): Promise<number> {
  const rows = await tx.many(
    Row,
    sql`
      -- any tenant: what one person wrote
      select tenant_id, id from social.comments
      where author_id = any(${ids}::uuid[]) and deleted_at is null limit ${portion}`,
  )
  for (const [tenant_id, own] of Map.groupBy(rows, row => row.tenant_id)) {
    const comments = own.map(row => row.id)
    await deleteComments(tx, tenant_id, comments, ids[0] ?? '')
  }
  return rows.length
}

function eraseLikes(tx: Tx, ids: Ids): Promise<number> {
  return tx.run(sql`
    -- any tenant: what one person likes
    with gone as (
      delete from social.likes where (tenant_id, post_id, user_id) in (
        select tenant_id, post_id, user_id from social.likes
        where user_id = any(${ids}::uuid[]) limit ${portion})
      returning tenant_id, post_id
    )
    insert into social.counter_deltas ${delta_columns}
    select tenant_id, 'post', post_id, 'likes', -1 from gone`)
}

const Follow = Type.Object({
  tenant_id: Type.String(),
  follower_id: Type.String(),
  followed_id: Type.String(),
})

async function eraseFollows(tx: Tx, ids: Ids): Promise<number> {
  const rows = await tx.many(
    Follow,
    sql`
      -- any tenant: whom one person follows, and who follows them
      select tenant_id, follower_id, followed_id from social.follows
      where follower_id = any(${ids}::uuid[]) or followed_id = any(${ids}::uuid[])
      order by tenant_id, follower_id, followed_id limit ${portion}`,
  )
  for (const { tenant_id, ...follow } of rows) await endFollow(tx, tenant_id, follow)
  return rows.length
}

function eraseRows(tx: Tx, table: string, condition: Sql): Promise<number> {
  return tx.run(sql`
    -- any tenant: what is kept for one person
    delete from social.${sql.id(table)} where ctid = any(array(
      select t.ctid from social.${sql.id(table)} t where ${condition} limit ${portion}))`)
}
