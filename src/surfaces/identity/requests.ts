/**
 * What was asked for by an address alone. Its row exists whether or not anybody has the address, and
 * moves only through the mailed token, so that reading it tells nothing.
 */
import { Type, type Static } from 'typebox'
import type { Tx } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import { Time } from '../../kernel/http/shapes.ts'
import type { Accepted } from './schemas.ts'

export type AcceptedRequest = Static<typeof Accepted>

export async function insertRequest(
  tx: Tx,
  kind: 'password_reset' | 'email_verification',
  tenant_id: string,
  ttl_seconds: number,
): Promise<AcceptedRequest> {
  const id = newId()
  const { expires_at } = await tx.one(
    Type.Object({ expires_at: Time }),
    sql`
      insert into identity.requests (tenant_id, id, kind, expires_at)
      values (${tenant_id}, ${id}, ${kind}, kernel.now() + make_interval(secs => ${ttl_seconds}))
      returning expires_at`,
  )
  return { id, status: 'accepted', expires_at }
}

export async function completeRequest(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update identity.requests set status = 'completed' where id = ${id} and status = 'accepted'`)
}
