/**
 * Creates a payment request. It may be for a payment that its merchant could not authorize, for
 * example because the bank wants the payer: then only the page moves this payment, so it is paid once.
 */
import { limit, newId, parseTime, rfc3339, sql, type Tx } from '#dodeca/kernel'
import type { Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { holdCustomer } from '../methods/choose-method.ts'
import { lockMovable } from '../operations/begin-operation.ts'
import { amountRules, readAmount } from '../money/read-amount.ts'
import type { CreateRequest } from '../schemas.ts'
import type { OwnedLine } from '../face.ts'
import { requestColumns, RequestRow } from './request-row.ts'

type Given = Static<typeof CreateRequest>
type More = {
  readonly lines?: readonly OwnedLine[] | null
  /** The only account at which it may be paid. */
  readonly account?: string | null
}

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
  { lines = null, account = null }: More = {},
): Promise<RequestRow> {
  const intent = await takeIntent(tx, given, tenant_id, account)
  const { currency, uses = 1, customer_id = intent?.customer_id ?? null } = given
  const amount_minor = intent?.amount_minor ?? given.amount_minor ?? null
  if (customer_id !== null && uses !== 1) {
    throw problem('validation_failed', {
      detail: 'Each buyer of a payment link is another one. Leave `customer_id` or `uses` out.',
      errors: [{ location: 'body', pointer: '/customer_id', constraint: 'excluded' }],
    })
  }
  if (given.customer_id !== undefined)
    await holdCustomer(tx, { tenant_id, id: given.customer_id }, '/customer_id')
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
  const id = newId()
  const row = await tx.one(
    RequestRow,
    sql`
      insert into payments.payment_requests as t (
        tenant_id, id, customer_id, intent_id, taken_id, amount_minor, currency, description,
        order_ref, return_url, locale, account, lines, uses, expires_at, due_at)
      values (
        ${tenant_id}, ${id}, ${customer_id}, ${intent?.id ?? null}, ${intent?.id ?? null},
        ${amount_minor}, ${currency}, ${given.description},
        ${given.order_ref ?? null}, ${given.return_url ?? null},
        ${given.locale ?? null}, ${account}, ${lines && sql.json(lines)}::jsonb, ${uses},
        ${expires_at}, ${expires_at})
      returning ${requestColumns}`,
  )
  if (intent) {
    await tx.run(sql`
      update payments.payment_intents
      set managed = true, request_id = ${id}, customer_id = ${customer_id}
      where tenant_id = ${tenant_id} and id = ${intent.id}`)
  }
  return row
}

async function takeIntent(tx: Tx, given: Given, tenant_id: string, account: string | null) {
  const { intent_id, amount_minor, currency, customer_id, uses = 1 } = given
  if (intent_id === undefined) return undefined
  const intent = await lockMovable(tx, { tenant_id, id: intent_id }, false)
  if (intent.state !== 'requires_authorization') {
    throw problem('invalid_transition', {
      current_state: intent.state,
      detail: 'Only a payment in requires_authorization can be asked for.',
    })
  }
  const same: readonly (readonly [string, boolean])[] = [
    ['/amount_minor', (amount_minor ?? intent.amount_minor) === intent.amount_minor],
    ['/currency', currency === intent.currency],
    ['/uses', uses === 1],
    ['/account', (account ?? intent.provider) === intent.provider],
    ['/customer_id', (customer_id ?? intent.customer_id) === (intent.customer_id ?? customer_id)],
  ]
  const [pointer] = same.find(([, is_same]) => !is_same) ?? []
  if (pointer === undefined) return intent
  throw problem('validation_failed', {
    detail: 'A request for a payment has its amount, currency, customer and account, and one use.',
    errors: [{ location: 'body', pointer, constraint: 'const' }],
  })
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
