/**
 * Removes a domain. Its links stop immediately. Its row stays, so that its codes are never used
 * again.
 */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announceDomain, Changed, changed_columns, wholeDomain } from './domain-row.ts'

export async function removeDomain(
  tx: Tx,
  { changes }: Pick<Deps, 'changes'>,
  { tenant_id, id: owner_id }: Pick<Principal, 'tenant_id' | 'id'>,
  id: string,
): Promise<void> {
  const own = sql`tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`
  const removed = await tx.maybe(
    Changed,
    sql`
      update links.domains
      set state = 'removed', next_check_at = null, version = version + 1, updated_at = kernel.now()
      where ${own} and state <> 'removed'
      returning ${changed_columns}`,
  )
  if (removed) announceDomain(tx, 'domain.removed', removed, { reason: 'owner' })
  else {
    const gone = await tx.maybe(
      Type.Object({ id: Id }),
      sql`select id from links.domains where ${own}`,
    )
    if (!gone) throw problem('domain_not_found')
  }
  // A repeated request publishes the change too, because the first one may have failed between its
  // commit and its wait.
  await changes.changed(tx, [wholeDomain({ id })])
}
