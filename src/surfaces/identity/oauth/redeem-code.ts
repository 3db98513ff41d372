/**
 * Exchanges a code for the tokens of a grant. The code is used up and the session begins in one
 * commit, so of two requests with one code the second finds it used, in whichever process it
 * arrives. It proves that two parties have the code, and ends the session that the first one began.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Id, nil_id, nullable, parseTime, sql, Time, type Tx } from '#dodeca/kernel'
import { accountById } from '../accounts/find-account.ts'
import { findResource, holdClient, type Client } from '../clients/find-client.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { consumeOfAccount, hashOf, type Challenge } from '../one-time.ts'
import { claimsFor } from '../profiles/claims.ts'
import { Aal } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { issueSession } from '../sessions/issue-session.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { parameter, type OAuthForm } from './read-form.ts'
import type { Tokens } from './schemas.ts'

/** What the person allowed, as it is kept with the code. */
export const Allowed = Type.Object({
  client_id: Type.String(),
  redirect_uri: Type.String(),
  code_challenge: Type.String(),
  scope: Type.Array(Type.String()),
  audience: nullable(Type.String()),
  tenant_id: Id,
  nonce: nullable(Type.String()),
  from_session_id: Id,
})
export type Allowed = Static<typeof Allowed>

const Used = Type.Object({ ref: Id, account_id: Id })
const From = Type.Object({
  aal: Aal,
  amr: Type.Array(Type.String()),
  auth_time: Time,
  connection_id: nullable(Id),
  known: Type.Boolean(),
})

export async function redeemCode(
  deps: Deps,
  client: Client,
  form: OAuthForm,
  seen: Seen,
): Promise<Tokens> {
  const code = parameter(form, 'code')
  const redirect_uri = parameter(form, 'redirect_uri')
  const verifier = parameter(form, 'code_verifier')
  await requireResource(deps, client, form, code)
  const tokens = await deps.kernel.db.tx(async tx => {
    // Held first, as by who changes it, so that neither waits for the other.
    if (!(await holdClient(tx, client.client_id))) throw problem('invalid_grant')
    const open = await consumeOfAccount(tx, ['oauth_code'], code)
    if (!open) return await endGrantOf(tx, deps, code, seen)
    // A code that comes with the wrong proof is used up, too.
    const allowed = Value.Parse(Allowed, open.details)
    const fits =
      allowed.client_id === client.client_id &&
      allowed.redirect_uri === redirect_uri &&
      allowed.code_challenge === challengeOf(verifier)
    return fits ? await begin(tx, deps, client, { open, allowed }, seen) : undefined
  })
  if (!tokens) throw problem('invalid_grant')
  return tokens
}

/** RFC 7636, 4.6. */
function challengeOf(verifier: string): string {
  const fits = /^[A-Za-z0-9._~-]{43,128}$/.test(verifier)
  return fits ? createHash('sha256').update(verifier).digest('base64url') : ''
}

/** A client may name the resource again (RFC 8707, 2.2). It looks, and uses the code not up. */
async function requireResource(
  deps: Deps,
  client: Client,
  { resource }: OAuthForm,
  code: string,
): Promise<void> {
  if (resource === undefined) return
  const { db } = deps.kernel
  const [found, row] = await Promise.all([
    findResource(db, deps, resource, client),
    db.maybe(
      Type.Object({ audience: nullable(Type.String()) }),
      sql`
        select details->>'audience' as audience from identity.one_time_challenges
        where id_hash = ${hashOf(code)} and purpose = 'oauth_code'`,
    ),
  ])
  if (!found || (row && found.audience !== row.audience)) throw problem('invalid_target')
}

async function begin(
  tx: Tx,
  deps: Deps,
  client: Client,
  { open, allowed }: { open: Challenge; allowed: Allowed },
  seen: Seen,
): Promise<Tokens> {
  const { scope, client_id, audience, tenant_id, from_session_id } = allowed
  const account = await accountById(tx, open.account_id ?? nil_id)
  const from = account && (await readFrom(tx, account.id, from_session_id, client_id))
  if (!account || !from) throw problem('invalid_grant')
  const stays = scope.includes('offline_access')
  const begun = await issueSession(tx, deps, {
    account,
    ...from,
    device_name: client.name,
    narrowed: { scope, client_id, audience, bound_tenant_id: tenant_id },
    given: {
      session_id: open.ref,
      from_session_id,
      ends_with_it: !stays,
      auth_time: from.auth_time,
    },
    request: seen,
  })
  if (!begun) throw problem('invalid_grant')
  if (!from.known) await notifyOwner(tx, account, 'application_connected')
  const { access_token = '', expires_in, refresh_token = '' } = begun.body
  const about = { account_id: account.id, tenant_id, place: 'id_token', scope } as const
  const id_token = deps.tokens.signId({
    claims: await claimsFor(tx, about),
    account_id: account.id,
    client_id,
    tenant_id,
    aal: from.aal,
    amr: from.amr,
    auth_time: Math.floor(parseTime(from.auth_time) / 1000),
    nonce: allowed.nonce,
    access_token,
  })
  return {
    access_token,
    token_type: 'Bearer',
    expires_in,
    scope: scope.join(' '),
    ...(stays ? { refresh_token } : {}),
    ...(scope.includes('openid') ? { id_token } : {}),
  }
}

/** The session of the browser as it is now, and whether the person knows the application. */
function readFrom(tx: Tx, account_id: string, session_id: string, client_id: string) {
  return tx.maybe(
    From,
    sql`
      select s.aal, s.amr, s.auth_time, s.connection_id,
        exists (select from identity.sessions g
          where g.account_id = s.account_id and g.client_id = ${client_id}) as known
      from identity.sessions s
      where s.id = ${session_id} and s.account_id = ${account_id} and s.revoked_at is null`,
  )
}

async function endGrantOf(tx: Tx, deps: Deps, code: string, seen: Seen): Promise<undefined> {
  const used = await tx.maybe(
    Used,
    sql`
      select ref, account_id from identity.one_time_challenges
      where id_hash = ${hashOf(code)} and purpose = 'oauth_code' and consumed_at is not null`,
  )
  if (!used) return undefined
  const { account_id, ref: session_id } = used
  const act = { actor: 'system', seen }
  await revokeSessions(tx, deps, { account_id, session_id }, 'code_reuse', act)
  return undefined
}
