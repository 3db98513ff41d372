/**
 * The view of a domain for its owner, the queries of domains, and their events. The version of a
 * domain counts its events.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, Id, openProofs, sql, Version } from '#dodeca/kernel'
import type { Principal, Reader, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Domain } from '../schemas.ts'

/** The record that proves a host. Its value is shown once, when the claim is made. */
export const proofs = openProofs('links')

export const columns = columnsOf(Domain, null)

/** The fields of a domain that an event needs. */
export const Changed = Type.Object({
  tenant_id: Id,
  id: Id,
  hostname: Type.String(),
  version: Version,
})
export type ChangedDomain = Static<typeof Changed>
export const changed_columns = columnsOf(Changed, null)

export async function findOwnDomain(
  reader: Reader,
  { tenant_id, id: owner_id }: Principal,
  id: string,
): Promise<Domain> {
  const found = await reader.maybe(
    Domain,
    sql`
      select ${columns} from links.domains
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
        and state <> 'removed'`,
  )
  if (!found) throw problem('domain_not_found')
  return found
}

export function announceDomain(
  tx: Tx,
  type: string,
  { tenant_id, id, hostname, version }: ChangedDomain,
  data: object = {},
): void {
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'domain',
    aggregate_id: id,
    aggregate_version: version,
    data: { domain_id: id, hostname, ...data },
  })
}

/** The cached state of a domain: its host and everything under it. */
export function wholeDomain({ id }: { readonly id: string }) {
  return { domain_id: id, code: '' }
}
