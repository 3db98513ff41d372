/** Removes a domain of the organization. Accounts that were made with it stay. */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { announceDomain, columns, Row } from './domain-row.ts'

export async function removeDomain(tx: Tx, { tenant_id }: Principal, id: string): Promise<void> {
  const removed = await tx.maybe(
    Row,
    sql`
      update identity.organization_domains
      set state = 'removed', removed_at = kernel.now(), due_at = null, version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and state <> 'removed'
      returning ${columns}`,
  )
  if (removed) {
    announceDomain(tx, 'deleted', tenant_id, removed)
    tx.audit('identity.organization_domains.delete', id)
    return
  }
  const before = await tx.maybe(
    Type.Object({ id: Id }),
    sql`
      select id from identity.organization_domains
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
  if (!before) throw problem('organization_domain_not_found')
}
