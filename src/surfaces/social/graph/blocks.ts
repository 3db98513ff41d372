/**
 * Blocks and mutes. A block ends the follows in both directions in the same transaction. A mute has
 * no visible effect for the muted person.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { announcePair } from '../events.ts'
import { requireTarget, requireWriter } from '../people/user-row.ts'
import { lockPair, now_us } from './pairs.ts'
import { endFollow } from './unfollow.ts'

export const Block = Type.Object(
  { blocker_id: Id, blocked_id: Id, created_at: Time },
  { title: 'Block' },
)
export type Block = Static<typeof Block>
export const Mute = Type.Object(
  { muter_id: Id, muted_id: Id, expires_at: nullable(Time), created_at: Time },
  { title: 'Mute' },
)
export type Mute = Static<typeof Mute>
export const SetMute = closed({ expires_at: Type.Optional(nullable(Time)) }, { title: 'SetMute' })

const Blocked = Type.Object({ ...Block.properties, at_us: Type.Integer(), made: Type.Boolean() })

export async function block(
  tx: Tx,
  deps: Deps,
  blocker: Person,
  blocked_id: string,
): Promise<Block> {
  const { tenant_id, id: blocker_id } = blocker
  if (blocked_id === blocker_id) throw problem('cannot_block_self')
  await requireWriter(tx, blocker)
  await lockPair(tx, blocker, blocked_id)
  await requireKnown(tx, deps, blocker, blocked_id)
  await requireRoom(tx, deps, blocker, blocked_id)
  await endFollow(tx, tenant_id, { follower_id: blocker_id, followed_id: blocked_id })
  await endFollow(tx, tenant_id, { follower_id: blocked_id, followed_id: blocker_id })
  const { at_us, made, ...found } = await tx.one(
    Blocked,
    sql`
      insert into social.blocks as b (tenant_id, blocker_id, blocked_id)
      values (${tenant_id}, ${blocker_id}, ${blocked_id})
      on conflict (tenant_id, blocker_id, blocked_id) do update set created_at = b.created_at
      returning blocker_id, blocked_id, created_at, ${now_us} as at_us, xmax = 0 as made`,
  )
  if (made) {
    const pair = { tenant_id, ids: [blocker_id, blocked_id], at_us } as const
    announcePair(tx, 'user.blocked', pair, { blocker_id, blocked_id })
  }
  return found
}

/**
 * Accepts a person who blocks the caller too, although the caller cannot see them. Otherwise the
 * error would reveal that block.
 */
async function requireKnown(tx: Tx, deps: Deps, viewer: Person, id: string): Promise<void> {
  const { tenant_id } = viewer
  const known = await tx.maybe(
    Type.Object({ id: Type.String() }),
    sql`
      select id from social.users
      where tenant_id = ${tenant_id} and id = ${id} and deleted_at is null`,
  )
  if (!known) await requireTarget(tx, deps, viewer, id)
}

/** A repeated block adds nothing, so the one that stands is not counted. */
async function requireRoom(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, id }: Person,
  blocked_id: string,
) {
  await kernel.counted(
    tx,
    `social.blocks:${id}`,
    kernel.settings['social.blocks'],
    sql`
      select from social.blocks
      where tenant_id = ${tenant_id} and blocker_id = ${id} and blocked_id <> ${blocked_id}`,
  )
}

const Gone = Type.Object({ at_us: Type.Integer() })

export async function unblock(tx: Tx, blocker: Person, blocked_id: string): Promise<void> {
  const { tenant_id, id: blocker_id } = blocker
  const gone = await tx.maybe(
    Gone,
    sql`
      delete from social.blocks
      where tenant_id = ${tenant_id} and blocker_id = ${blocker_id} and blocked_id = ${blocked_id}
      returning ${now_us} as at_us`,
  )
  if (!gone) return
  const pair = { tenant_id, ids: [blocker_id, blocked_id], at_us: gone.at_us } as const
  announcePair(tx, 'user.unblocked', pair, { blocker_id, blocked_id })
}

export async function mute(
  tx: Tx,
  deps: Deps,
  muter: Person,
  muted_id: string,
  expires_at: string | null,
): Promise<Mute> {
  const { tenant_id, id: muter_id } = muter
  if (muted_id === muter_id) throw problem('cannot_block_self')
  await requireWriter(tx, muter)
  await requireKnown(tx, deps, muter, muted_id)
  const { kernel } = deps
  await kernel.counted(
    tx,
    `social.mutes:${muter_id}`,
    kernel.settings['social.blocks'],
    sql`
      select from social.mutes
      where tenant_id = ${tenant_id} and muter_id = ${muter_id} and muted_id <> ${muted_id}`,
  )
  return await tx.one(
    Mute,
    sql`
      insert into social.mutes as m (tenant_id, muter_id, muted_id, expires_at)
      values (${tenant_id}, ${muter_id}, ${muted_id}, ${expires_at})
      on conflict (tenant_id, muter_id, muted_id) do update set expires_at = excluded.expires_at
      returning muter_id, muted_id, expires_at, created_at`,
  )
}

export async function unmute(tx: Tx, { tenant_id, id }: Person, muted_id: string): Promise<void> {
  await tx.run(sql`
    delete from social.mutes
    where tenant_id = ${tenant_id} and muter_id = ${id} and muted_id = ${muted_id}`)
}
