/**
 * Marks messages right before their first byte is sent. After a crash, an unmarked message was
 * certainly not sent, and the provider of a marked message is known. Many marks share a
 * transaction. If marking returns false, another process has the lease, and nothing is sent.
 */
import { Type } from 'typebox'
import { sql, type Db } from '#dodeca/kernel'
import type { Claimed } from './claim.ts'

const columns = {
  place: 'int',
  tenant_id: 'uuid',
  intent_id: 'uuid',
  channel: 'text',
  target: 'text',
  attempt_no: 'int',
  token: 'uuid',
  provider: 'text',
}
const Marked = Type.Object({ place: Type.Integer() })

export async function markWire(
  db: Db,
  all: readonly Claimed[],
  lease_seconds: number,
): Promise<boolean[]> {
  const rows = await db.many(
    Marked,
    sql`
      -- any tenant: a sender sends for all of them
      update notifications.delivery_attempts a
      set wire_at = (select kernel.now()), provider = m.provider,
        leased_until = now() + make_interval(secs => ${lease_seconds})
      from ${sql.table(
        all.map((one, place) => ({ ...one, place })),
        columns,
      )} m
      where a.tenant_id = m.tenant_id and a.intent_id = m.intent_id and a.channel = m.channel
        and a.target = m.target and a.attempt_no = m.attempt_no and a.lease_token = m.token
        and a.state = 'sending'
      returning m.place`,
  )
  const marked = new Set(rows.map(row => row.place))
  return all.map((_, place) => marked.has(place))
}
