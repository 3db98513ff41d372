/**
 * Begins a session for an account that has authenticated. Its row, its first refresh token and its
 * events are one transaction. The account and tenant are locked as active until the commit. A
 * concurrent request may disable one of them. If that request waits, it then ends this session. If
 * it was first, no session begins. An account with too many sessions loses its oldest.
 */
import { Type } from 'typebox'
import { Id, newId, nullable, parseTime, sql, Time, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { endsBy, Refusal } from '../login-policy/policy.ts'
import { hashOf } from '../one-time.ts'
import { SaidClaims } from '../profiles/claims.ts'
import { default_tenant_id, type AccountRow, type SessionTokens } from '../schemas.ts'
import {
  ipPrefixOf,
  recordSecurityEvent,
  uaFamilyOf,
  type Seen,
} from '../security-events/record-security-event.ts'
import { deliver, type Delivered, type Delivery } from './deliver-tokens.ts'
import { newDeviceToken } from './device-token.ts'
import { narrowFacts, Narrowed } from './narrowed.ts'
import { firstToken } from './refresh-token.ts'
import { revokeSessions } from './revoke-sessions.ts'

export type Proven = {
  readonly account: Pick<AccountRow, 'id' | 'tenant_id'>
  readonly aal: 'aal1' | 'aal2'
  /** The authentication methods: `pwd`, `otp`, `hwk`, `mfa`, `mail`, `oidc`, `recovery`. */
  readonly amr: readonly string[]
  /** The connection at which it begins. It ends with it. */
  readonly connection_id?: string | null
  readonly device_name?: string | undefined
  readonly delivery?: Delivery | undefined
  /** What makes the session narrower than its account. */
  readonly narrowed?: Partial<Narrowed>
  /** Of a session for an application: what the person's own session proves, and its name. */
  readonly given?: Given
  /** The handler's `request`. */
  readonly request: Seen
}

/** A person gives a session of their browser, or a part of it, to an application. */
export type Given = {
  /** The id of the new session. */
  readonly session_id: string
  readonly from_session_id: string
  /** Whether it ends with the session of the browser. */
  readonly ends_with_it: boolean
  readonly auth_time: string
}

const Begun = Type.Object({
  /** Why the policy of the tenant refuses the session; it was not stored then. */
  refusal: nullable(Refusal),
  /** `enrolment` if the policy requires a second factor first. */
  scope: Narrowed.properties.scope,
  claims: SaidClaims,
  active_tenant_id: Id,
  bound_tenant_id: nullable(Id),
  auth_time: Time,
  session_expires_at: Time,
  refresh_expires_in: Type.Integer(),
})

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied'>

/**
 * Returns undefined if the account or its tenant is no longer active, or if the account is no member
 * of the tenant to which the session is bound. The caller must then throw,
 * so that the events and records are rolled back.
 */
export async function issueSession(
  tx: Tx,
  deps: Needs,
  proven: Proven,
): Promise<Delivered | undefined> {
  const { kernel } = deps
  const { account, aal, amr, request } = proven
  const narrowed = { ...full, ...proven.narrowed }
  const session_id = proven.given?.session_id ?? newId()
  const { tenant_id } = account
  const refresh = firstToken(kernel.keys, session_id)
  const { client_id } = narrowed
  const beyond =
    kernel.settings[client_id ? 'identity.grants_per_client' : 'identity.sessions_per_account']
  tx.emit({
    type: 'session.created',
    tenant_id,
    aggregate_type: 'session',
    aggregate_id: session_id,
    aggregate_version: 1,
    data: { session_id, account_id: account.id, aal, amr },
  })
  // The statements run in this order and are sent in one round trip.
  const [begun] = await Promise.all([
    insertSession(tx, deps, proven, narrowed, { session_id, hash: hashOf(refresh.text) }),
    revokeSessions(tx, deps, { account_id: account.id, client_id, beyond }, 'too_many', {
      actor: 'system',
      seen: request,
    }),
    recordSecurityEvent(tx, {
      tenant_id,
      account_id: account.id,
      action: client_id ? 'grant.created' : 'session.created',
      actor: account.id,
      seen: request,
      method: amr.join('+'),
      ...(client_id && { reason: client_id }),
    }),
  ])
  if (!begun) return undefined
  const { refusal, scope, claims } = begun
  if (refusal) throw problem(refusal)
  const tokens: SessionTokens = {
    session_id,
    account_id: account.id,
    tenant_id: begun.active_tenant_id,
    token_type: 'Bearer',
    access_token: deps.tokens.sign({
      account_id: account.id,
      session_id,
      tenant_id: begun.active_tenant_id,
      aal,
      amr,
      narrow: narrowFacts(
        { ...narrowed, scope, bound_tenant_id: begun.bound_tenant_id },
        tenant_id,
      ),
      claims,
      auth_time: Math.floor(parseTime(begun.auth_time) / 1000),
    }),
    expires_in: kernel.settings['identity.access_ttl_seconds'],
    refresh_token: refresh.text,
    refresh_expires_in: begun.refresh_expires_in,
    session_expires_at: begun.session_expires_at,
    aal,
    device_token: newDeviceToken(kernel, account.id),
    ...(scope && !narrowed.scope ? { scope } : {}),
  }
  return deliver(kernel, tokens, proven.delivery ?? 'token')
}

const full: Narrowed = { scope: null, client_id: null, audience: null, bound_tenant_id: null }

/** Holds the account, its tenant, and its role in the tenant to which the session is bound. */
function heldIn(
  { account, aal, connection_id = null, given }: Proven,
  { bound_tenant_id, scope }: Narrowed,
) {
  return sql`
    select a.tenant_id, a.id, b.id as active_tenant_id, b.login, a.profile, a.metadata,
      case when b.id = a.tenant_id then b.claims end as declared,
      case when ${scope === null} and b.login is not null
          and identity.needs_enrolment(b.login, b.id, ${aal}, ${connection_id}::uuid)
        then array['enrolment'] else ${scope}::text[] end as scope
    from identity.accounts a
    join identity.tenants t on t.id = a.tenant_id
    join identity.tenants b
      on b.id = coalesce(${bound_tenant_id}::uuid, ${tenantOf(connection_id)}, a.tenant_id)
    left join lateral (select true as found from identity.role_assignments r
      where r.tenant_id = b.id and r.account_id = a.id and b.id <> a.tenant_id
      limit 1 for share) role on true
    where a.tenant_id = ${account.tenant_id} and a.id = ${account.id}
      and a.status = 'active' and t.state = 'active' and b.state = 'active'
      and (b.id = a.tenant_id or role.found) ${whileActive(connection_id)} ${whileGiven(given)}
    for share of a, t, b`
}

function insertSession(
  tx: Tx,
  { kernel: { settings } }: Needs,
  proven: Proven,
  narrowed: Narrowed,
  { session_id, hash }: { session_id: string; hash: Buffer },
) {
  const { aal, amr, connection_id = null, device_name, request, given } = proven
  const metadata = {
    device_name: device_name ?? null,
    ua_family: uaFamilyOf(request.headers),
    ip_prefix: ipPrefixOf(request.ip),
  }
  const { session_seconds, refresh_seconds } = lifeOf(settings, narrowed)
  const ends_with = given?.ends_with_it ? given.from_session_id : null
  const began = sql`coalesce(${given?.auth_time ?? null}::timestamptz, kernel.now())`
  const ends = sql`
    least(kernel.now() + make_interval(secs => ${session_seconds}),
      (select p.expires_at from identity.sessions p where p.id = ${ends_with}::uuid))`
  return tx.maybe(
    Begun,
    sql`
      with held as (${heldIn(proven, narrowed)}), decided as (
        select tenant_id, id, active_tenant_id, scope,
          coalesce(${narrowed.bound_tenant_id}::uuid, ${tenantOf(connection_id)}) as bound_tenant_id,
          case when login is not null then identity.login_refusal(login, active_tenant_id, id, ${aal},
            ${amr as string[]}::text[], scope, ${connection_id}::uuid, ${began}) end as refusal,
          ${endsBy(ends, began, sql`login`)} as expires_at,
          ${began} as auth_time,
          case when declared is not null then identity.access_claims(declared, profile, metadata,
            scope, ${narrowed.client_id}, ${narrowed.audience}) end as claims
        from held
      ), session as (
        insert into identity.sessions (tenant_id, id, account_id, token_family_id,
          active_tenant_id, aal, amr, auth_time, client_metadata, expires_at, scope, client_id,
          audience, bound_tenant_id, guest_of, connection_id, parent_id, refresh_hash,
          refresh_expires_at)
        select tenant_id, ${session_id}::uuid, id, ${newId()}::uuid, active_tenant_id,
          ${aal}, ${amr as string[]}::text[], auth_time, ${sql.json(metadata)}::jsonb,
          expires_at, scope, ${narrowed.client_id}, ${narrowed.audience},
          bound_tenant_id,
          array_remove(array[nullif(active_tenant_id, tenant_id)], null), ${connection_id}::uuid,
          ${ends_with}::uuid, ${hash},
          least(expires_at, kernel.now() + make_interval(secs => ${refresh_seconds}))
        from decided where refusal is null
      )
      select refusal, scope, claims, active_tenant_id, bound_tenant_id, auth_time,
        expires_at as session_expires_at,
        extract(epoch from least(expires_at - kernel.now(),
          make_interval(secs => ${refresh_seconds})))::int as refresh_expires_in
      from decided`,
  )
}

/**
 * A session of an application that stays connected ends by its own; another one is for as long as
 * the person sits at the browser.
 */
function lifeOf(settings: Needs['kernel']['settings'], { client_id, scope }: Narrowed) {
  const life = (session_seconds: number, idle_seconds: number) => ({
    session_seconds,
    refresh_seconds: Math.min(idle_seconds, session_seconds),
  })
  if (!client_id) {
    return life(settings['identity.session_max_seconds'], settings['identity.refresh_ttl_seconds'])
  }
  const stays = scope?.includes('offline_access')
  if (!stays) return life(settings['identity.grant_online_seconds'], Infinity)
  return life(settings['identity.grant_max_seconds'], settings['identity.grant_idle_seconds'])
}

/** The session of the browser, locked: who ends it then ends this session, too. */
function whileGiven(given: Given | undefined): Sql {
  if (!given) return sql.empty
  return sql`
      and exists (select from identity.sessions p
        where p.id = ${given.from_session_id} and p.account_id = a.id
          and p.scope is null and p.revoked_at is null and p.expires_at > kernel.now()
        for share)`
}

/** Locked until the commit: who disables the connection then ends this session, too. */
function whileActive(connection_id: string | null): Sql {
  if (connection_id === null) return sql.empty
  return sql`
      and exists (select from identity.connections c
        where c.id = ${connection_id} and c.state = 'active' and c.deleted_at is null
        for share)`
}

/** A session that began at the provider of an organization works only there. */
function tenantOf(connection_id: string | null): Sql {
  return sql`
    (select c.tenant_id from identity.connections c
      where c.id = ${connection_id}::uuid and c.tenant_id <> ${default_tenant_id})`
}
