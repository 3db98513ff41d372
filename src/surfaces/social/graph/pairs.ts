/**
 * Locks a pair of people, so that follows and blocks between them are written one after the other.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Person } from '../deps.ts'

/**
 * Until the commit, no other transaction writes a follow or block between the two. So later reads
 * in this transaction are current.
 */
export async function lockPair(tx: Tx, { tenant_id, id }: Person, other: string): Promise<void> {
  const [one, two] = id < other ? [id, other] : [other, id]
  const key = `social.pair ${tenant_id} ${one} ${two}`
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
}

export const now_us = sql`(extract(epoch from kernel.now()
  + (clock_timestamp() - now())) * 1000000)::bigint`
