/**
 * Changes a tenant. Disabling a tenant ends every session that belongs to it or works in it, in the
 * same transaction. The row of the tenant is locked, so that a concurrent login is either ended
 * here or refused there. The tenant from which the platform is administered cannot be disabled.
 */
import { isDeepStrictEqual } from 'node:util'
import { Type, type Static } from 'typebox'
import { closed, expectVersion, nullable, sql, text } from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { loseDomains } from '../domains/domain-row.ts'
import { problem } from '../errors.ts'
import { changedPolicy, ChangeLoginPolicy, requireUsable } from '../login-policy/policy.ts'
import { Claims, requireClaims } from '../profiles/claims.ts'
import { ProfileSchema, requireProfileSchema } from '../profiles/profile.ts'
import { Theme } from '../pages/theme.ts'
import { default_tenant_id } from '../schemas.ts'
import { revokeRoles } from '../roles/assign-role.ts'
import { isBeyond } from '../roles/built-in.ts'
import { keepOperatorOutside } from '../roles/keep-operator.ts'
import { revokeTenantSessions } from '../sessions/revoke-sessions.ts'
import { requireStepUp } from '../step-up.ts'
import { detailColumns, Signup, TenantDetails, TenantState } from './find-tenant.ts'

/** What an administrator of the tenant may change. */
export const ChangeOrganization = closed(
  {
    name: Type.Optional(text(100)),
    login: Type.Optional(nullable(ChangeLoginPolicy)),
    profile_schema: Type.Optional(nullable(ProfileSchema)),
    claims: Type.Optional(nullable(Claims)),
    theme: Type.Optional(nullable(Theme)),
  },
  { title: 'ChangeOrganization' },
)

export const ChangeTenant = closed({
  ...ChangeOrganization.properties,
  signup: Type.Optional(Signup),
  state: Type.Optional(TenantState),
  trusted: Type.Optional(Type.Boolean()),
})
export type ChangeTenant = Static<typeof ChangeTenant>

type Changer = {
  readonly actor: string
  readonly if_match?: string | string[] | undefined
  /** Who changes the log-in policy. */
  readonly principal?: Principal
}

export async function changeTenant(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied' | 'permissions'>,
  id: string,
  change: ChangeTenant,
  { actor, if_match, principal }: Changer,
): Promise<TenantDetails> {
  const before = await tx.maybe(
    TenantDetails,
    sql`select ${detailColumns} from identity.tenants where id = ${id} for update`,
  )
  if (!before) throw problem('tenant_not_found')
  expectVersion(if_match, before.version)
  const { login: _login, ...others } = change
  const next = {
    ...before,
    ...others,
    login: await policyAfter(tx, deps, before, change, principal),
  }
  if (change.claims) requireClaims(change.claims)
  if (change.profile_schema) await requireProfileSchema(change.profile_schema)
  if (id === default_tenant_id && next.state === 'disabled') {
    throw problem('invalid_transition', {
      detail: 'The platform is administered from this tenant.',
    })
  }
  const { name, signup, state, trusted, login, profile_schema, claims, theme } = next
  if (isDeepStrictEqual(next, before)) return before
  const tenant = await tx.one(
    TenantDetails,
    sql`
      update identity.tenants
      set name = ${name}, signup = ${signup}, state = ${state}, trusted = ${trusted},
        login = ${login && sql.json(login)}::jsonb, claims = ${claims && sql.json(claims)}::jsonb,
        profile_schema = ${profile_schema && sql.json(profile_schema)}::jsonb,
        theme = ${theme && sql.json(theme)}::jsonb,
        version = version + 1
      where id = ${id} returning ${detailColumns}`,
  )
  if (before.trusted && !trusted) await revokeBeyond(tx, deps, id, actor)
  if (state === 'disabled' && before.state === 'active') {
    await keepOperatorOutside(tx, id)
    await loseDomains(tx, id)
    await revokeTenantSessions(tx, deps, id, 'admin', { actor })
  }
  tx.audit('identity.tenants.change', id, {
    by: { tenant_id: id, id: actor },
    reason: state === before.state ? null : state,
  })
  tx.emit({
    type: 'tenant.changed',
    tenant_id: id,
    aggregate_type: 'tenant',
    aggregate_id: id,
    aggregate_version: tenant.version,
    data: { tenant_id: id, state },
  })
  return tenant
}

/** Changing who may log in requires a recent authentication. */
async function policyAfter(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { id, login: before }: TenantDetails,
  { login: change }: ChangeTenant,
  principal: Principal | undefined,
): Promise<TenantDetails['login']> {
  if (change === undefined || principal === undefined) return before
  await requireStepUp(tx, kernel, principal)
  const policy = changedPolicy(before, change)
  if (policy) await requireUsable(tx, id, policy, principal)
  return policy
}

const Roles = Type.Object({ role_ids: Type.Array(Type.String()) })

/** A tenant that is no longer trusted loses the roles that only an operator may give there. */
async function revokeBeyond(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'denied' | 'permissions'>,
  tenant_id: string,
  actor: string,
): Promise<void> {
  const { role_ids } = await tx.one(
    Roles,
    sql`
      select array(select distinct role_id from identity.role_assignments
        where tenant_id = ${tenant_id}) as role_ids`,
  )
  const beyond: string[] = []
  for (const role_id of role_ids) {
    if (await isBeyond(tx, deps, { tenant_id, role_id })) beyond.push(role_id)
  }
  if (beyond.length > 0) await revokeRoles(tx, deps, tenant_id, beyond, { actor })
}
