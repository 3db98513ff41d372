/**
 * Creates a tenant. Its slug is unique in the whole platform. If two requests race, the unique
 * index decides.
 */
import { Type, type Static } from 'typebox'
import { closed, newId, sql, text, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { NewSlug } from '../schemas.ts'
import { Signup, Tenant, tenantColumns, TenantState } from './find-tenant.ts'

export const CreateTenant = closed({
  slug: NewSlug,
  name: text(100),
  signup: Type.Optional(Signup),
  state: Type.Optional(TenantState),
})
export type CreateTenant = Static<typeof CreateTenant>

/** The person who makes an organization, and whether an operator answers for it. */
type Maker = { readonly made_by: string | null; readonly trusted: boolean }
const by_operator: Maker = { made_by: null, trusted: true }

export async function createTenant(
  tx: Tx,
  { slug, name, signup = 'invite', state = 'active' }: CreateTenant,
  actor: string,
  { made_by, trusted } = by_operator,
): Promise<Tenant> {
  const tenant = await tx.maybe(
    Tenant,
    sql`
      insert into identity.tenants (id, slug, name, signup, state, made_by, trusted)
      values (${newId()}, ${slug}, ${name}, ${signup}, ${state}, ${made_by}, ${trusted})
      on conflict (slug) do nothing
      returning ${tenantColumns}`,
  )
  if (!tenant) throw problem('already_exists')
  const { id, version } = tenant
  tx.emit({
    type: 'tenant.created',
    tenant_id: id,
    aggregate_type: 'tenant',
    aggregate_id: id,
    aggregate_version: version,
    data: { tenant_id: id },
  })
  tx.audit('identity.tenants.create', id, { by: { tenant_id: id, id: actor } })
  return tenant
}
