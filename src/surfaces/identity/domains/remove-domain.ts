/** Removes a domain of the organization. Accounts that were made with it stay. */
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { announceDomain, columns, Row } from './domain-row.ts'

export async function removeDomain(tx: Tx, { tenant_id }: Principal, id: string): Promise<void> {
  const removed = await tx.maybe(
    Row,
    sql`
      delete from identity.organization_domains
      where tenant_id = ${tenant_id} and id = ${id}
      returning ${columns}`,
  )
  if (!removed) throw problem('organization_domain_not_found')
  announceDomain(tx, 'deleted', tenant_id, { ...removed, version: removed.version + 1 })
  tx.audit('identity.organization_domains.delete', id)
}
