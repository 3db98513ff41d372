/**
 * Replaces the access list of a collection. From this commit on, the new list applies to every
 * document that has no list of its own. Neither documents nor index rows change.
 */
import { expectVersion, sql, type Tx } from '#dodeca/kernel'
import { merged, requireManager, type AclEntry } from '../access/acl-entries.ts'
import type { Caller } from '../access/principals.ts'
import { lockCollection } from './find-collection.ts'

export async function putCollectionAcl(
  tx: Tx,
  caller: Caller,
  id: string,
  given: readonly AclEntry[],
  if_match: string | string[] | undefined,
): Promise<{ acl: AclEntry[]; version: number }> {
  const { access_policy_version } = await lockCollection(tx, caller, id, 'manage')
  expectVersion(if_match, access_policy_version)
  const acl = merged(given)
  requireManager(acl, caller.names)
  const { tenant_id } = caller
  await tx.run(sql`
    update retrieval.collections set access_policy_version = access_policy_version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
  await writeCollectionAcl(tx, tenant_id, id, acl)
  return { acl, version: access_policy_version + 1 }
}

export async function writeCollectionAcl(
  tx: Tx,
  tenant_id: string,
  collection_id: string,
  acl: readonly AclEntry[],
): Promise<void> {
  await tx.run(sql`
    delete from retrieval.collection_acl
    where tenant_id = ${tenant_id} and collection_id = ${collection_id}`)
  await tx.run(sql`
    insert into retrieval.collection_acl (tenant_id, collection_id, principal_or_group, permission)
    select ${tenant_id}, ${collection_id}, e.principal_or_group, e.permission
    from ${sql.table(acl, { principal_or_group: 'text', permission: 'text' })} e`)
}
