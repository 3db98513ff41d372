/**
 * Stores a destination of a user, sealed with the user's key. The same destination has the same
 * row.
 */
import { Type } from 'typebox'
import { Id, newId, sql, type Tx } from '#dodeca/kernel'
import { destinationHash, type Address } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { keyName, seal } from '../vault.ts'

const Stored = Type.Object({ id: Id, verified: Type.Boolean() })
const Count = Type.Object({ held: Type.Integer() })

export type UserDestination = {
  readonly tenant_id: string
  readonly user_id: string
  readonly address: Address
  /** For push only: the kind of device. */
  readonly provider: string
  readonly verified: boolean
}

export async function storeDestination(
  tx: Tx,
  { kernel: { keys, settings }, vault }: Pick<Deps, 'kernel' | 'vault'>,
  { tenant_id, user_id, address, provider, verified }: UserDestination,
): Promise<{ id: string; verified: boolean }> {
  const owner = { tenant_id, owner_id: user_id }
  const key = (await vault.keysFor(tx, [owner])).get(keyName(owner)) as Buffer
  const hash = destinationHash(keys, tenant_id, address)
  const { channel } = address
  const before = await tx.maybe(
    Stored,
    sql`
      select id, verified_at is not null as verified from notifications.destinations
      where tenant_id = ${tenant_id} and user_id = ${user_id} and channel = ${channel}
        and destination_hash = ${hash} for update`,
  )
  const id = before?.id ?? newId()
  if (!before)
    await requireRoom(
      tx,
      settings['notifications.destinations_per_user'],
      tenant_id,
      user_id,
      channel,
    )
  return tx.one(
    Stored,
    sql`
      insert into notifications.destinations as d
        (tenant_id, id, user_id, channel, provider, destination_hash, ciphertext, masked, verified_at)
      values (${tenant_id}, ${id}, ${user_id}, ${channel}, ${provider}, ${hash},
        ${seal(key, address.address, `destination ${id}`)}, ${address.masked},
        case when ${verified} then kernel.now() end)
      on conflict (tenant_id, user_id, channel, destination_hash) where user_id is not null do update
        set disabled_at = null, verified_at = coalesce(d.verified_at, excluded.verified_at),
          ciphertext = case when d.id = ${id} then excluded.ciphertext else d.ciphertext end
      returning id, verified_at is not null as verified`,
  )
}

async function requireRoom(
  tx: Tx,
  most: number,
  tenant_id: string,
  user_id: string,
  channel: string,
): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`${tenant_id} ${user_id} destinations`}, 0))`)
  const { held } = await tx.one(
    Count,
    sql`
      select count(*)::int as held from notifications.destinations
      where tenant_id = ${tenant_id} and user_id = ${user_id} and channel = ${channel}`,
  )
  if (held < most) return
  throw problem('quota_exceeded', {
    detail: `A user has at most ${most} destinations of a channel. Remove one that is not used any more.`,
  })
}
