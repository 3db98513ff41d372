/** Creates a payment request. */
import { limit, newId, parseTime, rfc3339, sql, type Tx } from '#dodeca/kernel'
import type { Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { amountRules, readAmount } from '../money/read-amount.ts'
import type { CreateRequest } from '../schemas.ts'
import type { OwnedLine } from '../face.ts'
import { requestColumns, RequestRow } from './request-row.ts'

type Given = Static<typeof CreateRequest>

const day_ms = 86_400_000
const days_max = limit(
  'payments.request_days_most',
  365,
  'days',
  'The latest end of a payment request',
)
/** In every currency the provider can express it. */
const any_amount_minor = 1000

export async function createRequest(
  tx: Tx,
  { kernel }: Deps,
  given: Given,
  tenant_id: string,
  lines: readonly OwnedLine[] | null = null,
): Promise<RequestRow> {
  const { amount_minor = null, currency, uses = 1 } = given
  const asked = amount_minor ?? any_amount_minor
  readAmount({ amount_minor: asked, currency }, amountRules(kernel.settings))
  const expires_at = expiryOf(given, kernel)
  await kernel.counted(
    tx,
    `payments.requests:${tenant_id}`,
    kernel.settings['payments.requests_most'],
    sql`
      select from payments.payment_requests
      where tenant_id = ${tenant_id} and state in ('open', 'processing') and link_id is null`,
  )
  return await tx.one(
    RequestRow,
    sql`
      insert into payments.payment_requests as t (
        tenant_id, id, amount_minor, currency, description, order_ref, return_url, locale,
        lines, uses, expires_at, due_at)
      values (
        ${tenant_id}, ${newId()}, ${amount_minor}, ${currency}, ${given.description},
        ${given.order_ref ?? null}, ${given.return_url ?? null},
        ${given.locale ?? null}, ${lines && sql.json(lines)}::jsonb, ${uses}, ${expires_at},
        ${expires_at})
      returning ${requestColumns}`,
  )
}

function expiryOf({ expires_at }: Given, { clock, settings }: Deps['kernel']): string {
  const now_ms = clock.nowMs()
  if (expires_at === undefined) {
    return rfc3339(now_ms + settings['payments.request_days'] * day_ms)
  }
  const at_ms = parseTime(expires_at)
  if (at_ms > now_ms && at_ms <= now_ms + days_max * day_ms) return rfc3339(at_ms)
  throw problem('validation_failed', {
    detail: `A payment request expires in the future, within ${days_max} days.`,
    errors: [{ location: 'body', pointer: '/expires_at', constraint: 'future' }],
  })
}
