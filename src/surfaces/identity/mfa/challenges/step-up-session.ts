/**
 * Raises the assurance level of a session that has verified a second factor. The session's row
 * keeps the level for every refresh, and a new access token has it immediately.
 */
import { Type } from 'typebox'
import { Id, parseTime, sql, Time, type Headers, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { recordSecurityEvent, type Seen } from '../../security-events/record-security-event.ts'
import { accessCookies, type Delivery } from '../../sessions/deliver-tokens.ts'
import { SaidClaims } from '../../profiles/claims.ts'
import type { Session } from '../holder.ts'
import { narrowed_columns, narrowFacts, Narrowed } from '../../sessions/narrowed.ts'
import type { Proof } from './prove-factor.ts'
import type { SteppedUp } from '../schemas.ts'

export type Stronger = { readonly body: SteppedUp; readonly headers: Headers }

const Row = Type.Object({
  ...Narrowed.properties,
  tenant_id: Id,
  amr: Type.Array(Type.String()),
  auth_time: Time,
  claims: SaidClaims,
})

export async function stepUp(
  tx: Tx,
  { kernel, tokens }: Pick<Deps, 'kernel' | 'tokens'>,
  { id: account_id, session_id, tenant_id }: Session,
  how: { amr: Proof['amr']; delivery: Delivery | undefined; seen: Seen },
): Promise<Stronger> {
  const row = await tx.maybe(
    Row,
    sql`
      update identity.sessions s
      set aal = 'aal2', auth_time = kernel.now(),
        amr = array_append(array_remove(s.amr, ${how.amr}), ${how.amr})
      from identity.accounts a
      join identity.tenants t on t.id = ${tenant_id}
      where s.id = ${session_id} and s.account_id = ${account_id} and s.revoked_at is null
        and s.expires_at > kernel.now() and a.id = s.account_id
      returning s.tenant_id, s.amr, s.auth_time, ${narrowed_columns},
        case when t.claims is not null and t.id = a.tenant_id then identity.access_claims(t.claims,
          a.profile, a.metadata, s.scope, s.client_id, s.audience) end as claims`,
  )
  if (!row) throw problem('mfa_challenge_invalid')
  await recordSecurityEvent(tx, {
    tenant_id: row.tenant_id,
    account_id,
    action: 'session.stepped_up',
    actor: account_id,
    seen: how.seen,
    method: how.amr,
  })
  const auth_time = Math.floor(parseTime(row.auth_time) / 1000)
  const facts = { account_id, session_id, tenant_id, aal: 'aal2', amr: row.amr } as const
  const narrow = narrowFacts(row, row.tenant_id)
  const access_token = tokens.sign({ ...facts, auth_time, narrow, claims: row.claims })
  const expires_in = kernel.settings['identity.access_ttl_seconds']
  const answer = { expires_in, aal: 'aal2', auth_time: row.auth_time } as const
  if (how.delivery !== 'cookie') return { body: { ...answer, access_token }, headers: {} }
  return { body: answer, headers: accessCookies(kernel, access_token, expires_in) }
}
