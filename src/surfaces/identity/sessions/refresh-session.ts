/**
 * Refreshes a session. A token is used once: one statement marks it and inserts its successor. If
 * it is used again within the grace period, and the successor is unused, the caller gets the same
 * successor; this happens with racing tabs and lost replies. Any other reuse means that two parties
 * have the token and one has stolen it, so the session ends. A token that we never issued ends
 * nothing, so random input cannot log a person out.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, parseTime, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import { Aal, Bytes, type SessionTokens } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { endReusedSession } from './end-reused-session.ts'
import { Narrowed, narrowed_columns, narrowFacts } from './narrowed.ts'
import { isGenuine, parseToken, successors, type RefreshToken } from './refresh-token.ts'

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied' | 'pace'>

export type Refresh = {
  readonly session_id: string
  readonly refresh_token: string
  readonly tenant_id: string | undefined
  /** The client that sends the token. A session of a client is refreshed by it alone. */
  readonly client_id?: string
}

const Continued = Type.Object({
  ...Narrowed.properties,
  home_tenant_id: Id,
  account_id: Id,
  tenant_id: Id,
  aal: Aal,
  amr: Type.Array(Type.String()),
  auth_time: Time,
  session_expires_at: Time,
  refresh_expires_in: Type.Integer(),
})
type Continued = Static<typeof Continued>

const Used = Type.Object({
  used: Type.Boolean(),
  in_grace: Type.Boolean(),
  successor: nullable(Bytes),
  successor_used: nullable(Type.Boolean()),
  alive: Type.Boolean(),
  /** The session is bound to another tenant than the one that is asked for. */
  elsewhere: Type.Boolean(),
})

type Result =
  | { readonly kind: 'continued'; readonly session: Continued; readonly next: RefreshToken }
  | { readonly kind: 'refused' | 'reused' | 'no_member' | 'bound' }

export async function refresh(deps: Needs, asked: Refresh, seen: Seen): Promise<SessionTokens> {
  const { session_id, tenant_id } = asked
  const token = parseToken(asked.refresh_token)
  if (!token) throw problem('invalid_refresh_token')
  // Without a token of the session, no caller may use up its refreshes.
  if (isGenuine(deps.kernel.keys, session_id, token)) countRefresh(deps, session_id)
  const rotated = (await rotate(deps, asked, token)) ?? (await rotateGuest(deps, asked, token))
  const result = rotated ?? (await again(deps, asked, token))
  if (result.kind === 'reused') await endReusedSession(deps, session_id, seen)
  if (result.kind === 'bound') throw problem('session_bound')
  if (result.kind === 'no_member' && tenant_id !== undefined) throw problem('permission_denied')
  if (result.kind !== 'continued') throw problem('invalid_refresh_token')
  return await tokensOf(deps, session_id, result)
}

function countRefresh({ kernel: { metrics }, pace }: Needs, session_id: string): void {
  const wait_ms = pace.take(session_id)
  if (wait_ms === 0) return
  metrics.rateLimited.inc({ class: 'auth' })
  throw problem('rate_limited', { retry_after: Math.ceil(wait_ms / 1000) })
}

/** (a): an unused, unexpired token of an active session in its own tenant; otherwise undefined. */
async function rotate(
  { kernel }: Needs,
  asked: Refresh,
  token: RefreshToken,
): Promise<Result | undefined> {
  const next = successorOf(kernel, asked, token)
  const rotated = rotation(kernel.settings, asked, { token, next, guest: false })
  const session = await kernel.db.maybe(Continued, rotated)
  await kernel.fault('identity.after_rotation')
  return session && { kind: 'continued', session, next }
}

/**
 * The same in another tenant, while the account has a role there. A request that removes the last
 * role either waits and then ends this session, or came first and then nothing is rotated.
 */
function rotateGuest(
  { kernel }: Needs,
  asked: Refresh,
  token: RefreshToken,
): Promise<Result | undefined> {
  const next = successorOf(kernel, asked, token)
  return kernel.db.tx(async (tx): Promise<Result | undefined> => {
    if (!(await holdMembership(tx, asked))) return undefined
    const rotated = rotation(kernel.settings, asked, { token, next, guest: true })
    const session = await tx.maybe(Continued, rotated)
    return session && { kind: 'continued', session, next }
  })
}

function successorOf({ keys }: Needs['kernel'], { session_id }: Refresh, token: RefreshToken) {
  const [next] = successors(keys, session_id, token)
  if (!next) throw new Error('the keyring is empty')
  return next
}

/**
 * In a tenant that is not its own, an account is a member if it has a role there and the tenant is
 * active.
 */
async function holdMembership(tx: Tx, { session_id, tenant_id }: Refresh): Promise<boolean> {
  const held = await tx.maybe(
    Type.Object({ tenant_id: Id }),
    sql`
      select r.tenant_id from identity.sessions s
      join identity.role_assignments r on r.account_id = s.account_id
        and r.tenant_id = coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id)
        and r.tenant_id <> s.tenant_id
      join identity.tenants t on t.id = r.tenant_id and t.state = 'active'
      where s.id = ${session_id}
      limit 1
      for share of r, t`,
  )
  return held !== undefined
}

/**
 * The whole rotation in one round trip to the database. It allows twice the refreshes of a
 * transaction with two statements. Racing refreshes wait for the lock on the token's row: the
 * second finds the token used and changes nothing.
 */
function rotation(
  settings: Needs['kernel']['settings'],
  { session_id, tenant_id, client_id }: Refresh,
  { token, next, guest }: { token: RefreshToken; next: RefreshToken; guest: boolean },
) {
  const idle = client_id ? 'identity.grant_idle_seconds' : 'identity.refresh_ttl_seconds'
  return sql`
    with used as (
      update identity.refresh_tokens t set used_at = clock_timestamp()
      from identity.sessions s
      join identity.accounts a on a.id = s.account_id and a.status = 'active'
      where t.id_hash = ${hashOf(token.text)} and t.session_id = ${session_id}
        and t.used_at is null and t.expires_at > kernel.now()
        and s.id = t.session_id and s.revoked_at is null and s.expires_at > kernel.now()
        and s.client_id is not distinct from ${client_id ?? null}
        and not ${isElsewhere(tenant_id)}
        and (${guest} or coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id) = s.tenant_id)
      returning t.id_hash, t.session_id
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
        s.expires_at, ${narrowed_columns}, used.id_hash as parent
    ), successor as (
      insert into identity.refresh_tokens (id_hash, session_id, parent_id_hash, expires_at)
      select ${hashOf(next.text)}, session.id, session.parent, least(session.expires_at,
        kernel.now() + make_interval(secs => ${settings[idle]}))
      from session
      returning expires_at
    )
    select account_id, active_tenant_id as tenant_id, tenant_id as home_tenant_id, aal, amr,
      auth_time, scope, client_id, audience, bound_tenant_id,
      session.expires_at as session_expires_at,
      extract(epoch from successor.expires_at - kernel.now())::int as refresh_expires_in
    from session, successor`
}

/** A session `s` that is bound to another tenant than this. */
function isElsewhere(tenant_id: string | undefined) {
  return sql`coalesce(s.bound_tenant_id <> ${tenant_id ?? null}::uuid, false)`
}

/** Cases (b) to (e): the token is not the unused one. */
function again({ kernel }: Needs, asked: Refresh, token: RefreshToken): Promise<Result> {
  const { session_id } = asked
  const { settings, keys } = kernel
  const hash = hashOf(token.text)
  return kernel.db.tx(async (tx): Promise<Result> => {
    const found = await readUsed(tx, settings, asked, hash)
    if (!found) return { kind: isGenuine(keys, session_id, token) ? 'reused' : 'refused' }
    if (!found.alive) return { kind: 'refused' }
    if (!found.used) return { kind: found.elsewhere ? 'bound' : 'no_member' }
    if (!found.in_grace || found.successor_used !== false) return { kind: 'reused' }
    if (found.elsewhere) return { kind: 'bound' }
    const replayed = await tx.run(sql`
      update identity.refresh_tokens set replays = replays + 1
      where id_hash = ${hash} and replays < ${settings['identity.refresh_grace_replays']}`)
    const { successor } = found
    const next = successors(keys, session_id, token).find(
      one => successor !== null && hashOf(one.text).equals(successor),
    )
    if (replayed === 0 || !next) return { kind: 'reused' }
    if (!(await moveTo(tx, asked))) return { kind: 'no_member' }
    return { kind: 'continued', session: await readSession(tx, session_id, hash), next }
  })
}

/**
 * A request that sends a token again may name another tenant than the request that used it. Returns
 * false if the account may not work there.
 */
async function moveTo(tx: Tx, asked: Refresh): Promise<boolean> {
  const { session_id, tenant_id } = asked
  if (tenant_id === undefined) return true
  const guest = await holdMembership(tx, asked)
  const moved = await tx.run(sql`
    update identity.sessions s
    set active_tenant_id = ${tenant_id}, guest_of = case
      when ${guest} and ${tenant_id} <> all(s.guest_of) then s.guest_of || ${tenant_id}::uuid
      else s.guest_of end
    where s.id = ${session_id} and s.revoked_at is null
      and (${guest} or s.tenant_id = ${tenant_id})`)
  return moved > 0
}

function readUsed(
  tx: Tx,
  settings: Needs['kernel']['settings'],
  { session_id, tenant_id, client_id }: Refresh,
  hash: Buffer,
) {
  return tx.maybe(
    Used,
    sql`
      select t.used_at is not null as used,
        coalesce(t.used_at > clock_timestamp()
          - make_interval(secs => ${settings['identity.refresh_grace_seconds']}), false) as in_grace,
        n.id_hash as successor, n.used_at is not null as successor_used,
        s.revoked_at is null and s.expires_at > kernel.now() and t.expires_at > kernel.now()
          and s.client_id is not distinct from ${client_id ?? null} as alive,
        ${isElsewhere(tenant_id)} as elsewhere
      from identity.refresh_tokens t
      join identity.sessions s on s.id = t.session_id
      left join identity.refresh_tokens n
        on n.session_id = t.session_id and n.parent_id_hash = t.id_hash
      where t.id_hash = ${hash} and t.session_id = ${session_id}`,
  )
}

function readSession(tx: Tx, session_id: string, parent: Buffer): Promise<Continued> {
  return tx.one(
    Continued,
    sql`
      select s.account_id, s.active_tenant_id as tenant_id, s.tenant_id as home_tenant_id, s.aal,
        s.amr, s.auth_time, ${narrowed_columns}, s.expires_at as session_expires_at,
        greatest(0, extract(epoch from n.expires_at - kernel.now()))::int as refresh_expires_in
      from identity.sessions s
      join identity.refresh_tokens n on n.session_id = s.id and n.parent_id_hash = ${parent}
      where s.id = ${session_id}`,
  )
}

async function tokensOf(
  { kernel, tokens }: Needs,
  session_id: string,
  { session, next }: Extract<Result, { kind: 'continued' }>,
): Promise<SessionTokens> {
  const { account_id, tenant_id, aal, amr, session_expires_at, refresh_expires_in } = session
  const auth_time = Math.floor(parseTime(session.auth_time) / 1000)
  return {
    session_id,
    account_id,
    tenant_id,
    token_type: 'Bearer',
    access_token: tokens.sign({
      account_id,
      session_id,
      tenant_id,
      aal,
      amr,
      auth_time,
      narrow: narrowFacts(session, session.home_tenant_id),
    }),
    expires_in: kernel.settings['identity.access_ttl_seconds'],
    refresh_token: next.text,
    refresh_expires_in,
    session_expires_at,
    aal,
  }
}
