/** Reads tenants for operators. */
import { type Static, Type } from 'typebox'
import { columnsOf, Id, nullable, sql, Time, Version, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { LoginPolicy } from '../login-policy/policy.ts'
import { Claims } from '../profiles/claims.ts'
import { ProfileSchema } from '../profiles/profile.ts'
import { Theme } from '../pages/theme.ts'

export const Signup = Type.Union([Type.Literal('open'), Type.Literal('invite')])
export const TenantState = Type.Union([Type.Literal('active'), Type.Literal('disabled')])

export const Tenant = Type.Object(
  {
    id: Id,
    slug: Type.String(),
    name: Type.String(),
    signup: Signup,
    state: TenantState,
    /** False for an organization that a member made, until an operator trusts it. */
    trusted: Type.Boolean(),
    version: Version,
    created_at: Time,
  },
  { title: 'Tenant' },
)
export type Tenant = Static<typeof Tenant>

export const tenantColumns = columnsOf(Tenant, null)

/** With what a list leaves out. */
export const TenantDetails = Type.Object(
  {
    ...Tenant.properties,
    login: nullable(LoginPolicy),
    profile_schema: nullable(ProfileSchema),
    claims: nullable(Claims),
    theme: nullable(Theme),
  },
  { title: 'TenantDetails' },
)
export type TenantDetails = Static<typeof TenantDetails>

export const detailColumns = columnsOf(TenantDetails, null)

export async function requireTenant(reader: Reader, id: string): Promise<TenantDetails> {
  const tenant = await reader.maybe(
    TenantDetails,
    sql`select ${detailColumns} from identity.tenants where id = ${id}`,
  )
  if (!tenant) throw problem('tenant_not_found')
  return tenant
}

export async function tenantBySlug(reader: Reader, slug: string): Promise<Tenant> {
  const tenant = await reader.maybe(
    Tenant,
    sql`select ${tenantColumns} from identity.tenants where slug = ${slug}`,
  )
  if (!tenant) throw problem('tenant_not_found')
  return tenant
}
