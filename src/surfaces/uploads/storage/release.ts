/**
 * Subtracts bytes from the tenant's usage, only after the bytes are removed from the store.
 */
import { sql, type Tx } from '#dodeca/kernel'

export async function releaseBytes(tx: Tx, tenant_id: string, bytes: number): Promise<void> {
  if (bytes === 0) return
  await tx.run(sql`
    update uploads.tenant_usage set reserved_bytes = reserved_bytes - ${bytes}
    where tenant_id = ${tenant_id}`)
}
