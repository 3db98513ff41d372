/**
 * Finds the object that an earlier request with the same key created. Orders, shipments and returns
 * keep their key, so that a retry finds them after the recorded reply was deleted. A different
 * request with the same key is refused.
 */
import { Type } from 'typebox'
import { sql, type RequestKey, type Tx } from '#dodeca/kernel'
import { problem } from './errors.ts'
import type { Key } from './schemas.ts'

const owners = { orders: 'buyer_id', shipments: 'principal_id', returns: 'buyer_id' } as const
const Known = Type.Object({ id: Type.String(), same: Type.Boolean() })

export async function findByKey(
  tx: Tx,
  table: keyof typeof owners,
  { id: principal_id, tenant_id }: Key,
  key: RequestKey,
): Promise<Key | undefined> {
  const known = await tx.maybe(
    Known,
    sql`
      select id, request_fingerprint = ${key.fingerprint} as same
      from ${sql.id('commerce', table)}
      where tenant_id = ${tenant_id} and ${sql.id(owners[table])} = ${principal_id}
        and idempotency_key = ${key.value}`,
  )
  if (!known) return undefined
  if (!known.same) throw problem('idempotency_key_reused')
  return { tenant_id, id: known.id }
}
