/** Finds one refund of a tenant, by its own id or by its operation's id. */
import { sql, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { RefundRow, refundColumns } from './apply-refund.ts'

type By = { readonly id?: string; readonly operation_id?: string }

export async function findRefund(
  reader: Reader,
  tenant_id: string,
  { id = '', operation_id = '' }: By,
): Promise<RefundRow> {
  const by = id
    ? sql`r.tenant_id = ${tenant_id} and r.id = ${id}`
    : sql`r.tenant_id = ${tenant_id} and r.operation_id = ${operation_id}`
  const refund = await reader.maybe(
    RefundRow,
    sql`
      -- any tenant: the condition begins with the tenant
      select ${refundColumns} from payments.refunds r where ${by}`,
  )
  if (!refund) throw problem('refund_not_found')
  return refund
}
