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
  { account_id, session_id, except, client_id, beyond = 0 }: Which,
  reason: RevokedReason,
  act: Act,
): Promise<number> {
  const ending = sql`
    select id from identity.sessions
    where account_id = ${account_id} and revoked_at is null
      and (${session_id ?? null}::uuid is null or id = ${session_id ?? null}::uuid)
      and (${except ?? null}::uuid is null or id <> ${except ?? null}::uuid)
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

/** A role `r` of the account of the session or key `s` in the tenant. Without one it is no guest. */
export function holdsRole(tenant_id: string): Sql {
  return sql`exists (select from identity.role_assignments r
    where r.tenant_id = ${tenant_id} and r.account_id = s.account_id)`
}

/** Ends every session of these accounts that worked in the tenant in which they have no role left. */
export function revokeGuestSessions(
  tx: Tx,
  deps: Needs,
  {
    tenant_id,
    account_ids,
  }: { readonly tenant_id: string; readonly account_ids: readonly string[] },
  act: Act,
): Promise<number> {
  const ending = sql`
    select s.id from identity.sessions s
    where s.account_id = any(${account_ids}::uuid[]) and s.revoked_at is null
      and ${tenant_id} = any(s.guest_of) and not ${holdsRole(tenant_id)}
    order by s.id desc`
  return revoke(tx, deps, ending, 'membership_ended', act)
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
