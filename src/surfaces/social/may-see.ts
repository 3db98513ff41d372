/**
 * The only place that decides who may see a person or a post. Every read of a feed, a list, a post,
 * a like, a comment or a file checks these conditions at that moment. No projection decides.
 */
import { sql, type Sql } from '#dodeca/kernel'
import type { Person } from './deps.ts'

/** A person, or the columns that name one. */
type Named = { readonly tenant_id: string | Sql; readonly id: string | Sql }

/** Whether one of the two people blocks the other. */
export function blockedBetween({ tenant_id, id }: Named, other: Sql): Sql {
  return sql`(exists (select from social.blocks b where b.tenant_id = ${tenant_id}
        and b.blocker_id = ${id} and b.blocked_id = ${other})
      or exists (select from social.blocks b where b.tenant_id = ${tenant_id}
        and b.blocker_id = ${other} and b.blocked_id = ${id}))`
}

export function follows({ tenant_id, id }: Person, followed: Sql): Sql {
  return sql`exists (select from social.follows f where f.tenant_id = ${tenant_id}
      and f.follower_id = ${id} and f.followed_id = ${followed} and f.state = 'active')`
}

/** Condition on `u` (users): others may see the posts and comments of this person. */
export const speaks = sql`(u.moderation_state = 'active' and u.deleted_at is null)`

/**
 * Condition on `p` (posts) and its author `u`. `followed` is whether the viewer follows the author.
 */
export function visible(viewer: Person, followed = follows(viewer, sql`p.author_id`)): Sql {
  return sql`(p.deleted_at is null and (p.author_id = ${viewer.id} or (
      p.moderation_state = 'none' and ${speaks} and not ${blockedBetween(viewer, sql`p.author_id`)}
      and ${among(sql`p.visibility`, followed)})))`
}

/** Condition on `u`, the author: whether the viewer is among those who may see this visibility. */
export function among(visibility: Sql, followed: Sql): Sql {
  return sql`case when ${visibility} = 'private' then false
    when ${visibility} = 'public' and u.privacy_state = 'public' then true
    else ${followed} end`
}

/** Condition on a post in the feed of the viewer. */
export function inFeed(viewer: Person, followed = follows(viewer, sql`p.author_id`)): Sql {
  return sql`(${visible(viewer, followed)} and (p.author_id = ${viewer.id} or (
      ${followed}
      and not exists (select from social.mutes m where m.tenant_id = ${viewer.tenant_id}
        and m.muter_id = ${viewer.id} and m.muted_id = p.author_id
        and (m.expires_at is null or m.expires_at > kernel.now())))))`
}

/** Condition on `c` (comments), whose post is visible, and its author `u`. */
export function commentVisible(viewer: Person): Sql {
  return sql`(c.deleted_at is null and (c.author_id = ${viewer.id} or (
      c.moderation_state = 'none' and ${speaks}
      and not ${blockedBetween(viewer, sql`c.author_id`)})))`
}

/**
 * Condition on `u` (users): the viewer may know of the profile. A person who blocks another still
 * sees them, to end the block.
 */
export function knowable({ tenant_id, id }: Person): Sql {
  return sql`(u.deleted_at is null and (u.id = ${id} or (u.moderation_state = 'active'
      and not exists (select from social.blocks b where b.tenant_id = ${tenant_id}
        and b.blocker_id = u.id and b.blocked_id = ${id}))))`
}
