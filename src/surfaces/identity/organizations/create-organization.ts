/**
 * A person makes an organization: a tenant in which the account is a guest and the administrator. Its
 * home stays. No operator answers for it, so some roles cannot be given there (roles/built-in.ts).
 */
import type { Static } from 'typebox'
import { closed, lacks, sql, text, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requirePerson } from '../require-person.ts'
import { assignRole, holdAccount } from '../roles/assign-role.ts'
import { operator_permission } from '../roles/built-in.ts'
import { NewSlug } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import type { Tenant } from '../tenants/find-tenant.ts'

export const CreateOrganization = closed(
  { slug: NewSlug, name: text(100) },
  { title: 'CreateOrganization' },
)

const by_operators =
  'Only operators of this platform create organizations (IDENTITY_ORGANIZATIONS). Ask one of them.'

type Maker = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

export async function createOrganization(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions' | 'reserved'>,
  body: Static<typeof CreateOrganization>,
  { principal, grants }: Maker,
  seen: Seen,
): Promise<Tenant> {
  requirePerson(principal)
  await requireOwnSession(tx, principal)
  const { kernel } = deps
  const { id: made_by } = principal
  const trusted = grants.has(operator_permission)
  if (!trusted && !mayMembers(kernel)) throw lacks(operator_permission, by_operators)
  if (deps.reserved.has(body.slug)) {
    throw problem('already_exists', { detail: 'This name is reserved. Choose another `slug`.' })
  }
  await holdAccount(tx, made_by, null)
  await kernel.counted(
    tx,
    `identity.organizations:${made_by}`,
    kernel.settings['identity.organizations_per_account'],
    sql`select from identity.tenants where made_by = ${made_by} and state = 'active'`,
  )
  const tenant = await createTenant(tx, body, made_by, { made_by, trusted })
  const administration = { account_id: made_by, tenant_id: tenant.id, role_id: 'tenant_admin' }
  await assignRole(tx, deps, administration, { actor: made_by, seen })
  return tenant
}

export function mayMembers({ settings, profile }: Pick<Deps['kernel'], 'settings' | 'profile'>) {
  const who = settings['identity.organizations']
  return (who ?? (profile === 'production' ? 'operators' : 'members')) === 'members'
}
