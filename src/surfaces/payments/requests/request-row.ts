/**
 * A payment request: its row, and how its merchant sees it.
 *
 *   open -> processing -> paid, and from processing back to open
 *   open -> expired, cancelled
 *
 * While it is `processing`, its `intent_id` names the one payment that may be live. A request with
 * more than one use is a payment link: it stays open, and each buyer pays a request of their own.
 */
import { type Static, Type } from 'typebox'
import {
  Amount,
  Id,
  nullable,
  oneOf,
  sql,
  Time,
  Version,
  type Reader,
  type Tx,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { accountIdOf, vendorOf } from '../provider/account-key.ts'

export const request_states = ['open', 'processing', 'paid', 'expired', 'cancelled'] as const

const Word = Type.String()

/** What the page of an order lists: goods by their label, and sums by their kind. */
const RequestLine = Type.Object({
  label: Type.Union([
    Type.Object({ text: Word }),
    Type.Object({ sum: oneOf('discount', 'shipping', 'tax') }),
  ]),
  amount_minor: Type.Integer(),
})

export const RequestRow = Type.Object({
  tenant_id: Id,
  id: Id,
  link_id: nullable(Id),
  amount_minor: nullable(Type.Integer()),
  currency: Word,
  description: Word,
  order_ref: nullable(Word),
  return_url: nullable(Word),
  locale: nullable(Word),
  account: nullable(Word),
  lines: nullable(Type.Array(RequestLine)),
  uses: nullable(Type.Integer()),
  used: Type.Integer(),
  state: oneOf(...request_states),
  customer_id: nullable(Id),
  intent_id: nullable(Id),
  closing: nullable(Word),
  payer_email: nullable(Word),
  /** Whether its time is over, also before the queue has noted that. */
  late: Type.Boolean(),
  expires_at: Word,
  version: Type.Integer(),
  created_at: Word,
})
export type RequestRow = Static<typeof RequestRow>

/** Members of the row that are no columns, with the table as `t`. */
export const requestExpressions = {
  payer_email: sql`(
    select p.email from payments.request_payers p
    where p.tenant_id = t.tenant_id and p.request_id = t.id)`,
  late: sql`t.expires_at <= kernel.now()`,
}

export const requestColumns = sql`
  t.tenant_id, t.id, t.link_id, t.amount_minor, t.currency, t.description, t.order_ref,
  t.return_url, t.locale, t.account, t.lines, t.uses, t.used, t.state, t.customer_id, t.intent_id, t.closing,
  ${requestExpressions.payer_email} as payer_email, ${requestExpressions.late} as late,
  t.expires_at, t.version, t.created_at`

type Key = { readonly tenant_id: string; readonly id: string }

export function findRequest(reader: Reader, { tenant_id, id }: Key) {
  return reader.maybe(
    RequestRow,
    sql`
      select ${requestColumns} from payments.payment_requests t
      where t.tenant_id = ${tenant_id} and t.id = ${id}`,
  )
}

/** For the holder of a signed URL, which names no tenant. */
export function findSigned(reader: Reader, id: string) {
  return reader.maybe(
    RequestRow,
    sql`
      -- any tenant: the id of a signed URL, unique on the platform
      select ${requestColumns} from payments.payment_requests t where t.id = ${id}`,
  )
}

/** Another surface takes the payment of such a request, as that of its order. */
export const isOwned = ({ lines }: Pick<RequestRow, 'lines'>) => lines !== null

export const isLink = ({ uses }: Pick<RequestRow, 'uses'>) => uses !== 1

const Text = (maxLength: number) => Type.String({ maxLength })

export const PaymentRequest = Type.Object(
  {
    id: Id,
    url: Text(2048),
    state: oneOf(...request_states),
    amount_minor: nullable(Amount),
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    description: Text(500),
    order_ref: nullable(Text(128)),
    return_url: nullable(Text(2000)),
    locale: nullable(Text(35)),
    provider: nullable(Text(50)),
    payment_account_id: nullable(Id),
    uses: nullable(Type.Integer({ minimum: 1 })),
    used: Type.Integer({ minimum: 0 }),
    link_id: nullable(Id),
    customer_id: nullable(Id),
    intent_id: nullable(Id),
    payer_email: nullable(Text(254)),
    expires_at: Time,
    version: Version,
    created_at: Time,
  },
  { title: 'PaymentRequest' },
)
export type PaymentRequest = Static<typeof PaymentRequest>

/** The page says that a request has expired, or was paid, for this long after its end. */
const shown_after_seconds = 7 * 86_400

export function viewOf(row: RequestRow, deps: Pick<Deps, 'kernel'>): PaymentRequest {
  const { id, state, amount_minor, currency, description, order_ref, return_url } = row
  const { locale, account, uses, used, link_id, customer_id, intent_id, payer_email } = row
  const { expires_at, version, created_at } = row
  return {
    id,
    url: urlOf(row, deps),
    state,
    amount_minor,
    currency,
    description,
    order_ref,
    return_url,
    locale,
    provider: account && vendorOf(account),
    payment_account_id: account && accountIdOf(account),
    uses,
    used,
    link_id,
    customer_id,
    intent_id,
    payer_email,
    expires_at,
    version,
    created_at,
  }
}

export const grantOf = (id: string) => ({ method: 'GET', path: `/pay/${id}`, limits: {} })

export function urlOf({ id, expires_at }: RequestRow, { kernel }: Pick<Deps, 'kernel'>): string {
  const until = Math.ceil(Date.parse(expires_at) / 1000) + shown_after_seconds
  return kernel.public_url + kernel.signedUrls.sign(grantOf(id), until)
}

export function announceRequest(
  tx: Tx,
  row: RequestRow,
  type: 'paid' | 'expired' | 'cancelled',
  amount_minor = row.amount_minor,
): void {
  tx.emit({
    type: `payment_request.${type}`,
    tenant_id: row.tenant_id,
    aggregate_type: 'payment_request',
    aggregate_id: row.id,
    aggregate_version: row.version,
    data: {
      request_id: row.id,
      link_id: row.link_id,
      intent_id: row.intent_id,
      order_ref: row.order_ref,
      amount_minor,
      currency: row.currency,
      state: row.state,
    },
  })
}
