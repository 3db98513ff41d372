/**
 * Ends sessions. The rows, the events and the records commit together. After the commit, this
 * process refuses the tokens immediately and wakes the other processes to read the revocation.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, Version } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { recordSecurityEvent, type Act } from '../security-events/record-security-event.ts'
import { revocations_topic } from './revocation-list.ts'

export type RevokedReason =
  | 'logout'
  | 'admin'
  | 'password_reset'
  | 'password_change'
  | 'refresh_reuse'
  | 'account_disabled'
  | 'account_deleted'
  | 'address_proven'
  | 'too_many'
  | 'membership_ended'

export type Which = {
  readonly account_id: string
  /** Ends only this session. */
  readonly session_id?: string
  /** Ends all sessions but this one. */
  readonly except?: string | null
  /** Ends only sessions that worked in this tenant as a guest. */
  readonly guest_of?: string
  /** Ends all but this number of the newest sessions. */
  readonly beyond?: number
}

const Revoked = Type.Object({ id: Id, tenant_id: Id, version: Version })

/** Returns the number of sessions that it ended. */
export async function revokeSessions(
  tx: Tx,
  { denied, kernel }: Pick<Deps, 'denied' | 'kernel'>,
  { account_id, session_id, except, guest_of, beyond = 0 }: Which,
  reason: RevokedReason,
  { actor, seen }: Act,
): Promise<number> {
  const revoked = await tx.many(
    Revoked,
    sql`
      with ending as (
        select id from identity.sessions
        where account_id = ${account_id} and revoked_at is null
          and (${session_id ?? null}::uuid is null or id = ${session_id ?? null}::uuid)
          and (${except ?? null}::uuid is null or id <> ${except ?? null}::uuid)
          and (${guest_of ?? null}::uuid is null or ${guest_of ?? null}::uuid = any(guest_of))
        order by id desc offset ${beyond}
      )
      update identity.sessions s
      set revoked_at = kernel.now(), revoked_reason = ${reason}, version = s.version + 1
      from ending where s.id = ending.id and s.revoked_at is null
      returning s.id, s.tenant_id, s.version`,
  )
  for (const { id, tenant_id, version } of revoked) {
    tx.emit({
      type: 'session.revoked',
      tenant_id,
      aggregate_type: 'session',
      aggregate_id: id,
      aggregate_version: version,
      data: { session_id: id, account_id, reason },
    })
    const about = { tenant_id, account_id, action: 'session.revoked', actor, reason }
    await recordSecurityEvent(tx, { ...about, ...(seen ? { seen } : {}) })
  }
  if (revoked.length > 0) {
    tx.afterCommit(() => {
      denied.add(revoked.map(({ id }) => id))
      kernel.wake([revocations_topic])
    })
  }
  return revoked.length
}
