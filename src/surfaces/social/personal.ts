/**
 * The data that social stores about a person, in every tenant. Erasing keeps posts and comments as
 * rows without text, and an empty profile whose handle stays taken. Likes, follows, blocks, mutes
 * and feeds are deleted.
 */
import { Type } from 'typebox'
import { personalRows, sql } from '#dodeca/kernel'
import type { Personal, PersonalAccount, PersonalRows, Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { delta_columns } from './counters/count.ts'
import { endFollow } from './graph/unfollow.ts'
import { deletePosts } from './posts/delete-posts.ts'
import { deleteComments } from './reactions/comment.ts'

const portion = 200
const Row = Type.Object({ tenant_id: Type.String(), id: Type.String() })

export function personalSocial({ kernel }: Pick<Deps, 'kernel'>): Personal {
  return {
    ...personalRows(kernel.db, all),
    hide: async (tx, account) => {
      await eraseProfile(tx, account)
    },
  }
}

const present = sql`t.deleted_at is null`

const all: readonly PersonalRows[] = [
  {
    kind: 'profile',
    table: 'social.users',
    owner: 'id',
    key: ['tenant_id', 'id'],
    where: present,
    view: [
      'tenant_id',
      'id',
      'handle',
      'display_name',
      'bio',
      'avatar_file_id',
      'privacy_state',
      'created_at',
    ],
    erase: eraseProfile,
  },
  {
    kind: 'post',
    table: 'social.posts',
    owner: 'author_id',
    key: ['tenant_id', 'id'],
    where: present,
    view: sql`
      jsonb_build_object('id', t.id, 'visibility', t.visibility, 'created_at', t.created_at,
        'edited_at', t.edited_at, 'body', (
          select b.body from social.post_bodies b
          where b.tenant_id = t.tenant_id and b.id = t.body_ref), 'versions', (
          select jsonb_agg(jsonb_build_object('body', w.body, 'edited_at', v.edited_at))
          from social.post_versions v
          join social.post_bodies w on w.tenant_id = v.tenant_id and w.id = v.body_ref
          where v.tenant_id = t.tenant_id and v.post_id = t.id))`,
    erase: erasePosts,
  },
  {
    kind: 'comment',
    table: 'social.comments',
    owner: 'author_id',
    key: ['tenant_id', 'id'],
    where: present,
    view: ['id', 'post_id', 'body', 'created_at'],
    erase: eraseComments,
  },
  {
    kind: 'like',
    table: 'social.likes',
    owner: 'user_id',
    key: ['tenant_id', 'post_id', 'user_id'],
    view: ['post_id', 'created_at'],
    erase: eraseLikes,
  },
  {
    kind: 'follow',
    table: 'social.follows',
    owner: 'follower_id',
    key: ['tenant_id', 'follower_id', 'followed_id'],
    view: ['followed_id', 'state', 'created_at'],
    erase: eraseFollows,
  },
  {
    kind: 'block',
    table: 'social.blocks',
    owner: 'blocker_id',
    key: ['tenant_id', 'blocker_id', 'blocked_id'],
    view: ['blocked_id', 'created_at'],
    erase: 'delete',
  },
  {
    table: 'social.blocks',
    owner: 'blocked_id',
    key: ['tenant_id', 'blocker_id', 'blocked_id'],
    erase: 'delete',
  },
  {
    kind: 'mute',
    table: 'social.mutes',
    owner: 'muter_id',
    key: ['tenant_id', 'muter_id', 'muted_id'],
    view: ['muted_id', 'expires_at'],
    erase: 'delete',
  },
  {
    table: 'social.mutes',
    owner: 'muted_id',
    key: ['tenant_id', 'muter_id', 'muted_id'],
    erase: 'delete',
  },
  {
    table: 'social.feed_entries',
    owner: 'user_id',
    key: ['user_id', 'rank_or_time', 'post_id'],
    erase: 'delete',
  },
  { table: 'social.feed_state', owner: 'user_id', key: ['user_id'], erase: 'delete' },
  {
    table: 'social.feed_pending_sources',
    owner: 'user_id',
    key: ['user_id', 'author_id'],
    erase: 'delete',
  },
  {
    kind: 'report',
    table: 'social.moderation_reports',
    owner: 'reporter_id',
    key: ['tenant_id', 'id'],
    view: ['id', 'category', 'note', 'created_at'],
    erase: { set: sql`note = null`, where: sql`t.note is not null` },
  },
  {
    table: 'social.moderation_cases',
    owner: 'subject_author_id',
    erase: { set: sql`appeal_statement = null`, where: sql`t.appeal_statement is not null` },
  },
  {
    kind: 'decision',
    table: 'social.moderation_actions',
    owner: ({ principal_ids }) => sql`
      (t.tenant_id, t.case_id) in (
        select c.tenant_id, c.id from social.moderation_cases c
        where c.subject_author_id = any(${principal_ids}::uuid[]))`,
    key: ['tenant_id', 'id'],
    where: sql`t.action not in ('assign', 'dismiss')`,
    view: sql`(
      select jsonb_build_object('case_id', c.id, 'subject_type', c.subject_type,
        'subject_id', c.subject_id, 'action', t.action, 'reason_code', t.reason_code,
        'statement', t.statement, 'appeal_statement', c.appeal_statement,
        'created_at', t.created_at)
      from social.moderation_cases c where c.tenant_id = t.tenant_id and c.id = t.case_id)`,
  },
]

/** Hides the posts and comments of the person too: each read checks `deleted_at` of the author. */
function eraseProfile(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  return tx.run(sql`
    -- any tenant: what one person said of themselves
    update social.users
    set handle = social.reserved_handle(handle), display_name = '', bio = '',
      avatar_file_id = null, deleted_at = kernel.now(), profile_version = profile_version + 1
    where id = any(${principal_ids}::uuid[]) and deleted_at is null`)
}

async function erasePosts(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  const rows = await tx.many(
    Row,
    sql`
      -- any tenant: what one person posted
      select tenant_id, id from social.posts
      where author_id = any(${principal_ids}::uuid[]) and deleted_at is null limit ${portion}`,
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

async function eraseComments(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  const rows = await tx.many(
    Row,
    sql`
      -- any tenant: what one person wrote
      select tenant_id, id from social.comments
      where author_id = any(${principal_ids}::uuid[]) and deleted_at is null limit ${portion}`,
  )
  for (const [tenant_id, own] of Map.groupBy(rows, row => row.tenant_id)) {
    const comments = own.map(row => row.id)
    await deleteComments(tx, tenant_id, comments, principal_ids[0] ?? '')
  }
  return rows.length
}

function eraseLikes(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  return tx.run(sql`
    -- any tenant: what one person likes
    with gone as (
      delete from social.likes where (tenant_id, post_id, user_id) in (
        select tenant_id, post_id, user_id from social.likes
        where user_id = any(${principal_ids}::uuid[]) limit ${portion})
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

async function eraseFollows(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  const rows = await tx.many(
    Follow,
    sql`
      -- any tenant: whom one person follows, and who follows them
      select tenant_id, follower_id, followed_id from social.follows
      where follower_id = any(${principal_ids}::uuid[])
        or followed_id = any(${principal_ids}::uuid[])
      order by tenant_id, follower_id, followed_id limit ${portion}`,
  )
  for (const { tenant_id, ...follow } of rows) await endFollow(tx, tenant_id, follow)
  return rows.length
}
