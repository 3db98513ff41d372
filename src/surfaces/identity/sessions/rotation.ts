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
 * The whole rotation: one row changes. Racing refreshes wait for its lock, and the second finds
 * another token and changes nothing.
 */
export function rotation(
  settings: Kernel['settings'],
  { session_id, tenant_id, client_id }: Refresh,
  { token, next, guest }: { token: RefreshToken; next: RefreshToken; guest: boolean },
) {
  const idle = client_id ? 'identity.grant_idle_seconds' : 'identity.refresh_ttl_seconds'
  const ends = endsBy(sql`s.expires_at`, loggedInAt, sql`p.login`)
  return sql`
    update identity.sessions s
    set refresh_hash = ${hashOf(next.text)}, refresh_parent_hash = s.refresh_hash,
      refresh_used_at = clock_timestamp(), refresh_replays = 0,
      refresh_expires_at = least(${ends},
        kernel.now() + make_interval(secs => ${settings[idle]})),
      last_seen_at = kernel.now(), active_tenant_id = p.id,
      guest_of = case when ${guest} and p.id <> all(s.guest_of) then s.guest_of || p.id
        else s.guest_of end
    from identity.accounts a, identity.tenants p
    where s.id = ${session_id} and s.refresh_hash = ${hashOf(token.text)}
      and s.refresh_expires_at > kernel.now()
      and s.revoked_at is null and s.expires_at > kernel.now()
      and s.client_id is not distinct from ${client_id ?? null}
      and a.id = s.account_id and a.status = 'active'
      and p.id = coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id)
      and not ${isElsewhere(tenant_id)}
      and (${guest} or p.id = s.tenant_id)
      and ${refusalIn(sql`p`)} is null
    returning ${continued}`
}

/** Of a session `s`, its account `a` and the tenant `p` in which it works. */
const continued = sql`
  s.account_id, s.active_tenant_id as tenant_id, s.tenant_id as home_tenant_id, s.aal, s.amr,
  s.auth_time, ${narrowed_columns},
  ${endsBy(sql`s.expires_at`, loggedInAt, sql`p.login`)} as session_expires_at,
  case when p.claims is not null and s.tenant_id = p.id then identity.access_claims(p.claims,
    a.profile, a.metadata, s.scope, s.client_id, s.audience) end as claims,
  greatest(0, extract(epoch from s.refresh_expires_at - kernel.now()))::int as refresh_expires_in`

/** A session `s` that is bound to another tenant than this. */
export function isElsewhere(tenant_id: string | undefined) {
  return sql`coalesce(s.bound_tenant_id <> ${tenant_id ?? null}::uuid, false)`
}

export function readSession(tx: Tx, session_id: string): Promise<Continued> {
  return tx.one(
    Continued,
    sql`
      select ${continued}
      from identity.sessions s
      join identity.accounts a on a.id = s.account_id
      join identity.tenants p on p.id = s.active_tenant_id
      where s.id = ${session_id}`,
  )
}
