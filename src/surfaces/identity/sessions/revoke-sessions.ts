/**
 * Ends sessions. The rows, the events and the records commit together. After the commit, this
 * process refuses the tokens immediately and wakes the other processes to read the revocation.
 */
import { Type } from 'typebox'
import { Id, sql, Version, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { recordSecurityEvents, type Act } from '../security-events/record-security-event.ts'
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
  | 'code_reuse'
  | 'client'

export type Which = {
  readonly account_id: string
  /** Ends only this session. */
  readonly session_id?: string
  /** Ends all sessions but this one. */
  readonly except?: string | null
  /** Ends only sessions that worked in this tenant as a guest. */
  readonly guest_of?: string
  /** Ends only those of this application; null: only those of the person. */
  readonly client_id?: string | null
  /** Ends all but this number of the newest sessions. */
  readonly beyond?: number
}

const Revoked = Type.Object({ id: Id, account_id: Id, tenant_id: Id, version: Version })

type Needs = Pick<Deps, 'denied' | 'kernel'>

/** Returns the number of sessions that it ended. */
export function revokeSessions(
  tx: Tx,
  deps: Needs,
  { account_id, session_id, except, guest_of, client_id, beyond = 0 }: Which,
  reason: RevokedReason,
  act: Act,
): Promise<number> {
  const ending = sql`
    select id from identity.sessions
    where account_id = ${account_id} and revoked_at is null
      and (${session_id ?? null}::uuid is null or id = ${session_id ?? null}::uuid)
      and (${except ?? null}::uuid is null or id <> ${except ?? null}::uuid)
      and (${guest_of ?? null}::uuid is null or ${guest_of ?? null}::uuid = any(guest_of))
      ${client_id === undefined ? sql.empty : sql`and client_id is not distinct from ${client_id}`}
    order by id desc offset ${beyond}`
  return revoke(tx, deps, ending, reason, act)
}

/**
 * Ends every session that belongs to the tenant or worked in it. There may be very many: they end
 * in one statement, because other processes learn only of revocations that are committed soon.
 */
export function revokeTenantSessions(
  tx: Tx,
  deps: Needs,
  tenant_id: string,
  reason: RevokedReason,
  act: Act,
): Promise<number> {
  const ending = sql`
    select id from identity.sessions
    where (tenant_id = ${tenant_id} or ${tenant_id} = any(guest_of))
      and revoked_at is null and expires_at > kernel.now()
    order by id desc for no key update`
  return revoke(tx, deps, ending, reason, act)
}

/** Ends every session that began at a connection, in whatever tenant its account is at home. */
export function revokeConnectionSessions(
  tx: Tx,
  deps: Needs,
  connection_id: string,
  act: Act,
): Promise<number> {
  const ending = sql`
    select id from identity.sessions
    where connection_id = ${connection_id} and revoked_at is null and expires_at > kernel.now()
    order by id desc for no key update`
  return revoke(tx, deps, ending, 'admin', act)
}

/** Ends every session of a client, or every one whose tokens are for an API. */
export function revokeClientSessions(
  tx: Tx,
  deps: Needs,
  { client_id, audience }: { readonly client_id?: string; readonly audience?: string },
  act: Act,
): Promise<number> {
  const which =
    client_id === undefined ? sql`audience = ${audience ?? ''}` : sql`client_id = ${client_id}`
  const ending = sql`
    select id from identity.sessions
    where ${which} and revoked_at is null and expires_at > kernel.now()
    order by id desc for no key update`
  return revoke(tx, deps, ending, 'admin', act)
}

async function revoke(
  tx: Tx,
  { denied, kernel }: Needs,
  ending: Sql,
  reason: RevokedReason,
  { actor, seen }: Act,
): Promise<number> {
  const chosen = await end(tx, ending, reason)
  if (chosen.length === 0) return 0
  // By a statement of its own: it sees what began while this one waited for the rows above.
  const given = sql`
    select id from identity.sessions
    where parent_id = any(${chosen.map(({ id }) => id)}::uuid[]) and revoked_at is null
    order by id desc`
  const revoked = [...chosen, ...(await end(tx, given, reason))]
  for (const { id, account_id, tenant_id, version } of revoked) {
    tx.emit({
      type: 'session.revoked',
      tenant_id,
      aggregate_type: 'session',
      aggregate_id: id,
      aggregate_version: version,
      data: { session_id: id, account_id, reason },
    })
  }
  await recordSecurityEvents(
    tx,
    revoked.map(({ account_id, tenant_id }) => ({
      tenant_id,
      account_id,
      action: 'session.revoked',
      actor,
      reason,
      ...(seen ? { seen } : {}),
    })),
  )
  tx.afterCommit(() => {
    denied.add(revoked.map(({ id }) => id))
    kernel.wake([revocations_topic])
  })
  return chosen.length
}

function end(tx: Tx, ending: Sql, reason: RevokedReason) {
  return tx.many(
    Revoked,
    sql`
      -- any tenant: the callers above have chosen the sessions
      with ending as materialized (${ending})
      update identity.sessions s
      set revoked_at = kernel.now(), revoked_reason = ${reason}, version = s.version + 1
      from ending where s.id = ending.id and s.revoked_at is null
      returning s.id, s.account_id, s.tenant_id, s.version`,
  )
}
