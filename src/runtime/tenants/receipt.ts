/**
 * The receipt of a deletion. It is written while the tenant is deleted, each number in the commit that
 * deletes the rows, so that it is right also if the deletion was interrupted. With its hash it is
 * finished.
 */
import { createHash } from 'node:crypto'
import type { DirectClient } from '../../kernel/database/direct.ts'
import type { TenantName } from './place.ts'

export type Receipt = {
  readonly tenant: TenantName
  readonly deleted_at: string
  readonly rows: Readonly<Record<string, number>>
  readonly objects: number
  /** Objects that stay, because another cell uses them. */
  readonly objects_kept: number
  /** Search indexes, which are outside of the database. */
  readonly indexes: number
  /** People who had worked in other tenants. Workers erase what they left there. */
  readonly guests: number
  readonly kept: Readonly<Record<string, { readonly rows: number; readonly reason: string }>>
  /** Of the receipt without this member. */
  readonly sha256: string
}

export type Outside = Pick<Receipt, 'objects' | 'objects_kept' | 'indexes' | 'guests'>
type Unfinished = Pick<Receipt, 'tenant' | 'rows'> & Partial<Outside>

/** The tenant is held, so it has a state. */
export async function beginReceipt(client: DirectClient, tenant: TenantName): Promise<void> {
  await client.query(
    'update kernel.tenant_states set receipt = coalesce(receipt, $2) where tenant_id = $1',
    [tenant.id, JSON.stringify({ tenant, rows: {} } satisfies Unfinished)],
  )
}

/** The first numbers count: what was deleted is not found again. */
export async function countOutside(client: DirectClient, tenant_id: string, found: Outside) {
  await client.query(
    'update kernel.tenant_states set receipt = $2::jsonb || receipt where tenant_id = $1',
    [tenant_id, JSON.stringify(found)],
  )
}

export async function countRows(
  client: DirectClient,
  tenant_id: string,
  table: string,
  deleted: number,
): Promise<void> {
  await client.query(
    `update kernel.tenant_states
     set receipt = jsonb_set(receipt, array['rows', $2],
       to_jsonb(coalesce((receipt #>> array['rows', $2])::int, 0) + $3::int))
     where tenant_id = $1`,
    [tenant_id, table, deleted],
  )
}

export async function finishReceipt(
  client: DirectClient,
  tenant_id: string,
  end: Pick<Receipt, 'deleted_at' | 'kept'>,
): Promise<Receipt> {
  const { rows } = await client.query<{ receipt: Unfinished }>(
    'select receipt from kernel.tenant_states where tenant_id = $1',
    [tenant_id],
  )
  const begun = rows[0]?.receipt
  if (!begun) throw new Error('the deletion has no receipt')
  const { tenant, rows: deleted, objects = 0, objects_kept = 0, indexes = 0, guests = 0 } = begun
  const { deleted_at, kept } = end
  const outside = { objects, objects_kept, indexes, guests }
  const facts = { tenant, deleted_at, rows: deleted, ...outside, kept }
  const sha256 = createHash('sha256').update(JSON.stringify(facts)).digest('hex')
  const receipt = { ...facts, sha256 }
  await client.query(
    `update kernel.tenant_states
     set state = case state when 'moved' then 'moved' else 'deleted' end,
       receipt = $2, changed_at = now()
     where tenant_id = $1`,
    [tenant_id, JSON.stringify(receipt)],
  )
  return receipt
}

/** A tenant whose deletion began and has not ended. Its own row may be gone already. */
export async function unfinishedTenant(
  client: DirectClient,
  slug: string,
): Promise<TenantName | undefined> {
  const { rows } = await client.query<TenantName>(
    `select receipt #>> '{tenant,id}' as id, receipt #>> '{tenant,slug}' as slug,
       receipt #>> '{tenant,name}' as name
     from kernel.tenant_states
     where receipt #>> '{tenant,slug}' = $1 and not receipt ? 'sha256'`,
    [slug],
  )
  return rows[0]
}
