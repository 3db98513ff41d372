/**
 * Refreshes a session. A token is used once: one statement puts its successor in its place. If it is
 * used again within the grace period, and the successor is unused, the caller gets the same successor;
 * this happens with racing tabs and lost replies. Any other reuse means that two parties have the token
 * and one has stolen it, so the session ends. A token that we never issued ends nothing, so random
 * input cannot log a person out.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, oneOf, parseTime, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Refusal, refusalIn } from '../login-policy/policy.ts'
import { hashOf } from '../one-time.ts'
import { Bytes, type SessionTokens } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { endReusedSession } from './end-reused-session.ts'
import { narrowFacts } from './narrowed.ts'
import { isGenuine, parseToken, successors, type RefreshToken } from './refresh-token.ts'
import { Continued, isElsewhere, readSession, rotation, type Refresh } from './rotation.ts'

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied' | 'pace'>

const Used = Type.Object({
  /** The token is the unused one, or the one before it; null if it is older. */
  is: nullable(oneOf('unused', 'before')),
  in_grace: Type.Boolean(),
  unused: Bytes,
  alive: Type.Boolean(),
  /** The session is bound to another tenant than the one that is asked for. */
  elsewhere: Type.Boolean(),
  /** The policy of the tenant refuses the session. */
  refusal: nullable(Refusal),
})

type Result =
  | { readonly kind: 'continued'; readonly session: Continued; readonly next: RefreshToken }
  | { readonly kind: 'refused' | 'reused' | 'no_member' | 'bound' }
  | { readonly kind: 'policy'; readonly refusal: Static<typeof Refusal> }

export async function refresh(deps: Needs, asked: Refresh, seen: Seen): Promise<SessionTokens> {
  const { session_id, tenant_id } = asked
  const token = parseToken(asked.refresh_token)
  if (token?.session_id !== session_id) throw problem('invalid_refresh_token')
  // Without a token of the session, no caller may use up its refreshes.
  if (isGenuine(deps.kernel.keys, token)) countRefresh(deps, session_id)
  const rotated = (await rotate(deps, asked, token)) ?? (await rotateGuest(deps, asked, token))
  const result = rotated ?? (await again(deps, asked, token))
  if (result.kind === 'reused') await endReusedSession(deps, session_id, seen)
  if (result.kind === 'bound') throw problem('session_bound')
  if (result.kind === 'policy') throw problem(result.refusal)
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
  const next = successorOf(kernel, token)
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
  const next = successorOf(kernel, token)
  return kernel.db.tx(async (tx): Promise<Result | undefined> => {
    if (!(await holdMembership(tx, asked))) return undefined
    const rotated = rotation(kernel.settings, asked, { token, next, guest: true })
    const session = await tx.maybe(Continued, rotated)
    return session && { kind: 'continued', session, next }
  })
}

function successorOf({ keys }: Needs['kernel'], token: RefreshToken) {
  const [next] = successors(keys, token)
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

/** Cases (b) to (e): the token is not the unused one. Random input holds no session. */
async function again({ kernel }: Needs, asked: Refresh, token: RefreshToken): Promise<Result> {
  const { session_id } = asked
  const { settings, keys } = kernel
  if (!isGenuine(keys, token)) return { kind: 'refused' }
  const hash = hashOf(token.text)
  return await kernel.db.tx(async (tx): Promise<Result> => {
    const found = await hold(tx, settings, asked, hash)
    if (!found?.alive) return { kind: 'refused' }
    const refusal = refusalOf(found)
    if (found.is === 'unused') return refusal ?? { kind: 'no_member' }
    if (found.is === null || !found.in_grace) return { kind: 'reused' }
    if (refusal) return refusal
    const replayed = await tx.run(sql`
      update identity.sessions set refresh_replays = refresh_replays + 1
      where id = ${session_id}
        and refresh_replays < ${settings['identity.refresh_grace_replays']}`)
    const next = successors(keys, token).find(one => hashOf(one.text).equals(found.unused))
    if (replayed === 0 || !next) return { kind: 'reused' }
    if (!(await moveTo(tx, asked))) return { kind: 'no_member' }
    return { kind: 'continued', session: await readSession(tx, session_id), next }
  })
}

function refusalOf({ elsewhere, refusal }: Static<typeof Used>): Result | undefined {
  if (elsewhere) return { kind: 'bound' }
  return refusal === null ? undefined : { kind: 'policy', refusal }
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

/** Holds the session, so that its tokens stay what they are until the commit. */
function hold(
  tx: Tx,
  settings: Needs['kernel']['settings'],
  { session_id, tenant_id, client_id }: Refresh,
  hash: Buffer,
) {
  return tx.maybe(
    Used,
    sql`
      select case ${hash}::bytea when s.refresh_hash then 'unused'
          when s.refresh_parent_hash then 'before' end as is,
        coalesce(s.refresh_used_at > clock_timestamp()
          - make_interval(secs => ${settings['identity.refresh_grace_seconds']}), false) as in_grace,
        s.refresh_hash as unused,
        s.revoked_at is null and s.expires_at > kernel.now()
          and s.refresh_expires_at > kernel.now()
          and s.client_id is not distinct from ${client_id ?? null} as alive,
        ${isElsewhere(tenant_id)} as elsewhere,
        case when ${isMemberIn(sql`p`)} then ${refusalIn(sql`p`)} end as refusal
      from identity.sessions s
      left join identity.tenants p on p.id = coalesce(${tenant_id ?? null}::uuid, s.active_tenant_id)
      where s.id = ${session_id}
      for no key update of s`,
  )
}

/** The policy of a tenant is nobody else's business. */
function isMemberIn(tenant: Sql): Sql {
  return sql`(${tenant}.id = s.tenant_id or exists (select from identity.role_assignments r
    where r.tenant_id = ${tenant}.id and r.account_id = s.account_id))`
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
      claims: session.claims,
    }),
    expires_in: kernel.settings['identity.access_ttl_seconds'],
    refresh_token: next.text,
    refresh_expires_in,
    session_expires_at,
    aal,
  }
}
