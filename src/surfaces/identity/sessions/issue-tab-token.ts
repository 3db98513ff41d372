/**
 * An access token for one tab: it works in another organization of the person, and the session stays
 * where it is. The session remembers the organization, so that it ends when the membership does; a
 * request that removes the last role, or disables the tenant, either waits and then ends it, or came
 * first.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, parseTime, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Refusal, refusalIn } from '../login-policy/policy.ts'
import type { Session } from '../mfa/holder.ts'
import { SaidClaims } from '../profiles/claims.ts'
import { Aal } from '../schemas.ts'

export const AskTabToken = closed({ tenant_id: Id }, { title: 'AskAccessToken' })
export const TabToken = Type.Object(
  {
    access_token: Type.String({ maxLength: 3000 }),
    token_type: Type.Literal('Bearer'),
    tenant_id: Id,
    expires_in: Type.Integer(),
  },
  { title: 'TabToken' },
)

const Facts = Type.Object({
  aal: Aal,
  amr: Type.Array(Type.String()),
  auth_time: Time,
  bound_tenant_id: nullable(Id),
  refusal: nullable(Refusal),
  claims: SaidClaims,
})

export async function issueTabToken(
  tx: Tx,
  { kernel, tokens }: Pick<Deps, 'kernel' | 'tokens'>,
  { id: account_id, session_id }: Session,
  tenant_id: string,
): Promise<Static<typeof TabToken>> {
  await tx.run(sql`
    select from identity.role_assignments
    where tenant_id = ${tenant_id} and account_id = ${account_id} for share`)
  await tx.run(sql`select from identity.tenants where id = ${tenant_id} for share`)
  const facts = await tx.maybe(
    Facts,
    sql`
      update identity.sessions s
      set guest_of = case when s.tenant_id = ${tenant_id} or ${tenant_id}::uuid = any(s.guest_of)
        then s.guest_of else s.guest_of || ${tenant_id}::uuid end
      from identity.tenants t, identity.accounts a
      where a.id = s.account_id and s.id = ${session_id} and s.account_id = ${account_id} and s.revoked_at is null
        and s.expires_at > kernel.now() and t.id = ${tenant_id} and t.state = 'active'
        and (s.tenant_id = t.id or exists (select from identity.role_assignments r
          where r.tenant_id = t.id and r.account_id = s.account_id))
      returning s.aal, s.amr, s.auth_time, s.bound_tenant_id, ${refusalIn(sql`t`)} as refusal,
        case when t.claims is not null and t.id = a.tenant_id then identity.access_claims(
          t.claims, a.profile, a.metadata, null, null, null) end as claims`,
  )
  if (!facts) throw problem('tenant_not_found')
  const { aal, amr, bound_tenant_id, refusal, claims } = facts
  if (bound_tenant_id !== null && bound_tenant_id !== tenant_id) throw problem('session_bound')
  if (refusal) throw problem(refusal)
  const auth_time = Math.floor(parseTime(facts.auth_time) / 1000)
  return {
    access_token: tokens.sign({ account_id, session_id, tenant_id, aal, amr, auth_time, claims }),
    token_type: 'Bearer',
    tenant_id,
    expires_in: kernel.settings['identity.access_ttl_seconds'],
  }
}
