/** Whether a tenant has proven that it owns a mail domain. A domain belongs to one tenant at most. */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'

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
