/**
 * Checks that counters, follows and feeds are consistent after every commit. They run in doctor and
 * in the chaos tests.
 */
import { Type } from 'typebox'
import { sql, type Check, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  return rules.map(([name, says, statement]) => ({
    name: `social.${name}`,
    says,
    run: async () => (await db.many(Fault, statement)).map(row => row.says),
  }))
}

const rules: readonly (readonly [string, string, Sql])[] = [
  [
    'blocks',
    'No person follows another across a block',
    sql`
      -- any tenant: all
      select f.follower_id || ' follows ' || f.followed_id || ' across a block' as says
      from social.blocks b
      join social.follows f on f.tenant_id = b.tenant_id
        and ((f.follower_id = b.blocker_id and f.followed_id = b.blocked_id)
          or (f.follower_id = b.blocked_id and f.followed_id = b.blocker_id))
      limit 100`,
  ],
  [
    'tombstones',
    'Deleted posts keep no text and no files',
    sql`
      -- any tenant: all
      select 'post ' || p.id || ' is deleted and keeps its text or files' as says
      from social.posts p
      where p.deleted_at is not null
        and (exists (select from social.post_bodies b
            where b.tenant_id = p.tenant_id and b.post_id = p.id)
          or exists (select from social.post_media m
            where m.tenant_id = p.tenant_id and m.post_id = p.id))
      limit 100`,
  ],
  [
    'fanouts',
    'Every post that is still to be pushed is in the queue',
    sql`
      -- any tenant: all
      select 'post ' || p.id || ' is pending and not in the queue' as says
      from social.posts p
      where p.fanout_state = 'pending' and p.due_at is null and p.last_error_code is null
      limit 100`,
  ],
  [
    'feeds',
    'A warm feed has each pushed post of those whom its reader follows',
    sql`
      -- any tenant: all
      select 'feed of ' || s.user_id || ' lacks post ' || p.id as says
      from social.feed_state s
      join social.follows f on f.tenant_id = s.tenant_id and f.follower_id = s.user_id
        and f.state = 'active'
      join social.posts p on p.tenant_id = s.tenant_id and p.author_id = f.followed_id
        and p.fanout_state = 'done' and p.deleted_at is null and p.rank_or_time >= s.floor_rank
      where s.state = 'warm'
        and not exists (select from social.feed_pending_sources w where w.tenant_id = s.tenant_id
          and w.user_id = s.user_id and w.author_id = p.author_id)
        and not exists (select from social.feed_entries e where e.tenant_id = s.tenant_id
          and e.user_id = s.user_id and e.rank_or_time = p.rank_or_time and e.post_id = p.id)
      limit 100`,
  ],
  [
    'orphans',
    'Likes and comments belong to posts, and posts to people',
    sql`
      -- any tenant: all
      (select 'a like of post ' || l.post_id || ' has no post' as says from social.likes l
        where not exists (select from social.posts p
          where p.tenant_id = l.tenant_id and p.id = l.post_id) limit 100)
      union all
      (select 'comment ' || c.id || ' has no post' from social.comments c
        where not exists (select from social.posts p
          where p.tenant_id = c.tenant_id and p.id = c.post_id) limit 100)
      union all
      (select 'post ' || p.id || ' has no author' from social.posts p
        where not exists (select from social.users u
          where u.tenant_id = p.tenant_id and u.id = p.author_id) limit 100)`,
  ],
]
