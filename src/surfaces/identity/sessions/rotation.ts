/**
 * The statement of a rotation, and what a refresh returns of its session. The policy and the claims of
 * the tenant are in the row that is joined, so a tenant without them pays one look-up by its key.
 */
import { Type, type Static } from 'typebox'
import { Id, sql, Time, type Tx } from '#dodeca/kernel'
import { endsBy, loggedInAt, refusalIn } from '../login-policy/policy.ts'
import { hashOf } from '../one-time.ts'
import { SaidClaims } from '../profiles/claims.ts'
import { Aal } from '../schemas.ts'
import type { Kernel } from '../settings.ts'
import { Narrowed, narrowed_columns } from './narrowed.ts'
import type { RefreshToken } from './refresh-token.ts'

export type Refresh = {
  readonly session_id: string
  readonly refresh_token: string
  readonly tenant_id: string | undefined
  /** The client that sends the token. A session of a client is refreshed by it alone. */
  readonly client_id?: string
}

export const Continued = Type.Object({
  ...Narrowed.properties,
  home_tenant_id: Id,
  account_id: Id,
  tenant_id: Id,
  aal: Aal,
  amr: Type.Array(Type.String()),
  auth_time: Time,
  session_expires_at: Time,
  refresh_expires_in: Type.Integer(),
  claims: SaidClaims,
})
export type Continued = Static<typeof Continued>

/**
 * The whole rotation in one round trip to the database. It allows twice the refreshes of a
 * transaction with two statements. Racing refreshes wait for the lock on the token's row: the
 * second finds the token used and changes nothing.
 */
export function rotation(
  settings: Kernel['settings'],
  { session_id, tenant_id, client_id }: Refresh,
  { token, next, guest }: { token: RefreshToken; next: RefreshToken; guest: boolean },
) {
  const idle = client_id ? 'identity.grant_idle_seconds' : 'identity.refresh_ttl_seconds'
  return sql`
    with used as (
      update identity.refresh_tokens t set used_at = clock_timestamp()
      from identity.sessions s
      join identity.accounts a on a.id = s.account_id and a.status = 'active'
      join identity.tenants p on p.id = coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id)
      where t.id_hash = ${hashOf(token.text)} and t.session_id = ${session_id}
        and t.used_at is null and t.expires_at > kernel.now()
        and s.id = t.session_id and s.revoked_at is null and s.expires_at > kernel.now()
        and s.client_id is not distinct from ${client_id ?? null}
        and not ${isElsewhere(tenant_id)}
        and (${guest} or coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id) = s.tenant_id)
        and ${refusalIn(sql`p`)} is null
      returning t.id_hash, t.session_id, p.login, p.claims
    ), session as (
      update identity.sessions s
      set last_seen_at = kernel.now(),
        active_tenant_id = coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id),
        guest_of = case when ${guest}
          and coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id) <> all(s.guest_of)
          then s.guest_of || coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id)
          else s.guest_of end
      from used
      where s.id = used.session_id and s.revoked_at is null
      returning s.id, s.account_id, s.tenant_id, s.active_tenant_id, s.aal, s.amr, s.auth_time,
        ${endsBy(sql`s.expires_at`, loggedInAt, sql`used.login`)} as expires_at,
        ${narrowed_columns}, used.id_hash as parent, used.claims as declared
    ), successor as (
      insert into identity.refresh_tokens (id_hash, session_id, parent_id_hash, expires_at)
      select ${hashOf(next.text)}, session.id, session.parent, least(session.expires_at,
        kernel.now() + make_interval(secs => ${settings[idle]}))
      from session
      returning expires_at
    )
    select account_id, active_tenant_id as tenant_id, tenant_id as home_tenant_id, aal, amr,
      auth_time, scope, client_id, audience, bound_tenant_id,
      session.expires_at as session_expires_at, ${said} as claims,
      extract(epoch from successor.expires_at - kernel.now())::int as refresh_expires_in
    from session, successor`
}

/** Of the row `session`. The account is read only where its tenant declares claims. */
const said = sql`
  case when session.declared is not null and session.tenant_id = session.active_tenant_id then (
    select identity.access_claims(session.declared, a.profile, a.metadata, session.scope,
      session.client_id, session.audience)
    from identity.accounts a where a.id = session.account_id) end`

/** A session `s` that is bound to another tenant than this. */
export function isElsewhere(tenant_id: string | undefined) {
  return sql`coalesce(s.bound_tenant_id <> ${tenant_id ?? null}::uuid, false)`
}

export function readSession(tx: Tx, session_id: string, parent: Buffer): Promise<Continued> {
  return tx.one(
    Continued,
    sql`
      with session as (
        select s.id, s.account_id, s.active_tenant_id, s.tenant_id, s.aal, s.amr, s.auth_time,
          ${narrowed_columns}, p.claims as declared,
          ${endsBy(sql`s.expires_at`, loggedInAt, sql`p.login`)} as expires_at
        from identity.sessions s
        join identity.tenants p on p.id = s.active_tenant_id
        where s.id = ${session_id}
      )
      select session.account_id, session.active_tenant_id as tenant_id,
        session.tenant_id as home_tenant_id, aal, amr, auth_time, scope, client_id, audience,
        bound_tenant_id, session.expires_at as session_expires_at,
        ${said} as claims,
        greatest(0, extract(epoch from n.expires_at - kernel.now()))::int as refresh_expires_in
      from session
      join identity.refresh_tokens n on n.session_id = session.id and n.parent_id_hash = ${parent}`,
  )
}
