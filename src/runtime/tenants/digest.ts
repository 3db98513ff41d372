/**
 * The number and the digest of a tenant's rows in one table. The digest does not depend on the
 * order of the rows: it is the sum of their MD5 hashes, each as a number of 120 bits.
 */
import type { DirectClient } from '../../kernel/database/direct.ts'
import { listOf, quoted, type TenantTable } from './tables.ts'

export type Digest = { readonly rows: number; readonly digest: string }

export async function digestOf(
  client: DirectClient,
  { name, columns }: TenantTable,
  where: string,
  tenant_id: string,
): Promise<Digest> {
  const half = (from: number) => `('x' || substr(h, ${from}, 15))::bit(60)::bigint::numeric`
  const { rows } = await client.query<Digest>(
    `
    select count(*)::int as rows,
      coalesce(sum(${half(1)} * 1152921504606846976 + ${half(16)}), 0)::text as digest
    from (
      select md5(row_to_json(r)::text) as h
      from (select ${listOf(columns, 't.')} from ${quoted(name)} t where ${where}) r
    ) hashes`,
    [tenant_id],
  )
  return rows[0] ?? { rows: 0, digest: '0' }
}
