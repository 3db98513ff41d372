/**
 * Leases due receipts. Only the process that has the token of the lease can end a receipt. So no
 * receipt is ended twice.
 */
import { type Static, Type } from 'typebox'
import { held_tenants, Id, newId, nullable, sql, Time, type Db } from '#dodeca/kernel'
import { Bytes } from '../../schemas.ts'

const portion = 20

export const Claimed = Type.Object({
  id: Id,
  tenant_id: Id,
  lease_token: Id,
  attempts: Type.Integer(),
  provider: Type.String(),
  provider_account: Type.String(),
  provider_event_id: Type.String(),
  event_type: nullable(Type.String()),
  received_at: Time,
  bytes: nullable(Bytes),
  headers: nullable(Type.Record(Type.String(), Type.String())),
})
export type Claimed = Static<typeof Claimed>

export function claimReceipts(
  db: Pick<Db, 'many'>,
  lease_seconds: number,
  signal: AbortSignal,
): Promise<Claimed[]> {
  if (signal.aborted) return Promise.resolve([])
  return db.many(
    Claimed,
    sql`
      -- any tenant: the work of all of them
      with due as (
        select r.id from webhooks.inbound_receipts r
        where r.processing_state in ('received', 'processing', 'failed')
          and r.next_attempt_at <= kernel.now()
          and (r.leased_until is null or r.leased_until <= now())
          and r.tenant_id <> all (${held_tenants})
        order by r.next_attempt_at
        limit ${portion} for no key update skip locked
      ), claimed as (
        update webhooks.inbound_receipts r
        set processing_state = 'processing', attempts = r.attempts + 1,
          lease_token = ${newId()}, leased_until = now() + make_interval(secs => ${lease_seconds})
        from due where r.id = due.id
        returning r.id, r.tenant_id, r.lease_token, r.attempts, r.provider, r.provider_account,
          r.provider_event_id, r.event_type, r.received_at
      )
      select c.id, c.tenant_id, c.lease_token, c.attempts, c.provider, c.provider_account,
        c.provider_event_id, c.event_type, c.received_at, p.bytes, p.headers
      from claimed c
      left join webhooks.receipt_payloads p on p.tenant_id = c.tenant_id and p.receipt_id = c.id
      order by c.received_at, c.id`,
  )
}
