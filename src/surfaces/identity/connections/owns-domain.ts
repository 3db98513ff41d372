/** Which tenant has proven that it owns a mail domain. A domain belongs to one tenant at most. */
import { Type, type Static } from 'typebox'
import { Id, sql, type Reader } from '#dodeca/kernel'
import { parseEmail } from '../accounts/email.ts'

const Answer = Type.Object({ it: Type.Boolean() })

export async function ownsDomain(
  reader: Reader,
  tenant_id: string,
  domain: string,
): Promise<boolean> {
  const { it } = await reader.one(
    Answer,
    sql`
      select exists (select from identity.organization_domains
        where tenant_id = ${tenant_id} and domain = ${domain} and state = 'verified') as it`,
  )
  return it
}

/** Whether the host is a verified domain of the tenant, or in one. */
export async function ownsHost(reader: Reader, tenant_id: string, host: string): Promise<boolean> {
  const labels = host.split('.')
  const domains = labels.map((_, at) => labels.slice(at).join('.'))
  const { it } = await reader.one(
    Answer,
    sql`
      select exists (select from identity.organization_domains
        where tenant_id = ${tenant_id} and domain = any(${domains}) and state = 'verified') as it`,
  )
  return it
}

export const DomainConnection = Type.Object({
  tenant: Type.String(),
  provider: Id,
  name: Type.String(),
  /** Whether the organization accepts no other way to log in. */
  required: Type.Boolean(),
})
type DomainConnection = Static<typeof DomainConnection>

/** The provider at which people with such an address log in, and the tenant of it. */
export function connectionOfDomain(
  reader: Reader,
  email: string,
): Promise<DomainConnection | undefined> {
  const domain = domainOf(parseEmail(email)?.normalized ?? '')
  return reader.maybe(
    DomainConnection,
    sql`
      -- any tenant: the domain says which one
      select t.slug as tenant, c.id as provider, c.name,
        coalesce((t.login -> 'require_sso')::boolean, false) as required
      from identity.organization_domains d
      join identity.tenants t on t.id = d.tenant_id and t.state = 'active'
      join identity.connections c on c.tenant_id = t.id and c.state = 'active'
        and c.deleted_at is null
      where d.domain = ${domain} and d.state = 'verified'
      order by c.id limit 1`,
  )
}

/** Of a normalized address. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
