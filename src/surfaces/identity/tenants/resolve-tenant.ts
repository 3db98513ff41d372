/**
 * Finds the tenant of a caller without a token: by the slug in the body, or the first label of the
 * host name.
 */
import { Type, type Static } from 'typebox'
import { Id, nil_id, nullable, sql, type Reader } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { isPlainName } from '../clients/plain-name.ts'
import { problem } from '../errors.ts'
import { LoginPolicy } from '../login-policy/policy.ts'

const Tenant = Type.Object({ id: Id, signup: Type.String() })
export type Tenant = Static<typeof Tenant>
const Found = Type.Object({ ...Tenant.properties, login: nullable(LoginPolicy) })
type Found = Static<typeof Found>

type Named = Parameters<typeof findTenant>

export function findTenant(
  reader: Reader,
  kernel: Pick<Kernel, 'settings'>,
  slug: string | undefined,
  host: string | string[] | undefined,
): Promise<Found | undefined> {
  return reader.maybe(
    Found,
    sql`
      select id, signup, login from identity.tenants
      where slug = ${slugMeant(kernel, slug, host)} and state = 'active'`,
  )
}

const Open = Type.Object({ it: Type.Boolean() })

export async function maySignUp(reader: Reader, tenant_id: string): Promise<boolean> {
  const { it } = await reader.one(
    Open,
    sql`
      select exists (select from identity.tenants
        where id = ${tenant_id} and state = 'active' and signup = 'open') as it`,
  )
  return it
}

export async function isOpen(reader: Reader, tenant_id: string): Promise<boolean> {
  const { it } = await reader.one(
    Open,
    sql`
      select exists (select from identity.tenants
        where id = ${tenant_id} and state = 'active') as it`,
  )
  return it
}

const Name = Type.Object({ name: Type.String() })

/**
 * The tenant of a new deployment has no name of its own before its operator gives it one. The name
 * of one that no operator trusts, or that cannot be read as it is, could pass for another one's.
 */
export async function nameOf(reader: Reader, tenant_id: string): Promise<string | null> {
  const row = await reader.maybe(
    Name,
    sql`
      select name from identity.tenants
      where id = ${tenant_id} and trusted and not (slug = 'default' and name = 'Default')`,
  )
  return row && isPlainName(row.name) ? row.name : null
}

/** The slug of the tenant that a request without a token means. */
export function slugMeant(
  { settings }: Pick<Kernel, 'settings'>,
  slug: string | undefined,
  host: string | string[] | undefined,
): string {
  if (settings['identity.tenant_from'] !== 'host') return slug ?? 'default'
  return String(host ?? '').split('.')[0] ?? ''
}

export async function resolveTenant(...named: Named): Promise<Found> {
  const tenant = await findTenant(...named)
  if (!tenant) throw problem('tenant_not_found')
  return tenant
}

/** The scope in which an address belongs to one account. */
export function emailScope({ settings }: Pick<Kernel, 'settings'>, tenant_id: string): string {
  return settings['identity.email_scope'] === 'global' ? nil_id : tenant_id
}
