/**
 * PayPal's books: its report of transactions, which shows a payment up to three hours late, its
 * balances, disputes, and the events of the last 30 days.
 */
import { fromPayPal } from '../money/paypal-amounts.ts'
import { part, type Call, type PayPalClient } from './call-paypal.ts'
import type {
  Authorization,
  Capture,
  Dispute,
  Money,
  Refund,
  ReportedTransaction,
} from './paypal-objects.ts'
import {
  bareOf,
  captureOf,
  disputeOf,
  kindOfCode,
  orderOf,
  refundOf,
  refOf,
  reportedOf,
} from './paypal-snapshots.ts'
import {
  ProviderFailure,
  type Page,
  type ProviderBooks,
  type Snapshot,
  type Window,
} from './port.ts'
import { eventOf, type PayPalEvent } from './verify-paypal.ts'

const day_seconds = 86_400
/** The longest part that PayPal reports at once, and the one that is read where that has too many rows. */
const part_days = { usual: 31, full: 1 }
const page_size = 100
/** Each of these rows is read as an order, so that a page is at most 60 requests. */
const read_size = 20
/** PayPal reports the last three years. */
const kept_seconds = 3 * 365 * day_seconds
/** PayPal lists the events of 30 days. */
const events_seconds = 29 * day_seconds
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/\.\d+Z/, 'Z')

type Place = { readonly from_s: number; readonly days: number; readonly page: number }
type Report = {
  readonly transaction_details?: readonly { readonly transaction_info: ReportedTransaction }[]
  readonly total_pages?: number
}

/** `realSeconds`: PayPal's time, also where the platform's clock was moved. */
export function openBooks(
  call: Call,
  realSeconds: () => number,
  readSnapshot: (paypal: PayPalClient, handle: string) => Promise<Snapshot>,
): ProviderBooks {
  return {
    payments: window =>
      call(async paypal => {
        const { rows, ...rest } = await report(
          paypal,
          { ...window, now_s: realSeconds() },
          read_size,
          'N',
        )
        const handles = new Set<string>()
        for (const row of rows) handles.add((await handleOfRow(paypal, row)) ?? '')
        handles.delete('')
        const data: Snapshot[] = []
        for (const handle of handles) data.push(await readSnapshot(paypal, handle))
        return { data: data.filter(one => one.currency !== ''), ...rest }
      }),
    refunds: window =>
      call(async paypal => {
        const { rows, ...rest } = await report(
          paypal,
          { ...window, now_s: realSeconds() },
          read_size,
          'Y',
        )
        const data = []
        for (const row of rows) {
          if (kindOfCode(row) !== 'refund') continue
          const path = `/v2/payments/refunds/${part(row.transaction_id)}`
          const refund = await orNull(paypal.get<Refund>(path))
          if (!refund) continue
          const capture = captureOf(refund)
          const handle = capture === null ? null : await handleOfCapture(paypal, capture)
          data.push(refundOf(refund, handle))
        }
        return { data, ...rest }
      }),
    balanceTransactions: window =>
      call(async paypal => {
        const reached = { ...window, now_s: realSeconds() }
        const { rows, ...rest } = await report(paypal, reached, page_size, 'Y')
        return { data: rows.map(reportedOf), ...rest }
      }),
    // The report does not say which payments a withdrawal contains.
    paidOut: () => Promise.resolve({ data: [], has_more: false }),
    events: window => call(paypal => listEvents(paypal, { ...window, now_s: realSeconds() })),
    balance: () => call(readBalance),
    readDispute: ref =>
      call(async paypal => {
        const path = `/v1/customer/disputes/${part(bareOf(ref))}`
        const dispute = await paypal.get<Dispute>(path)
        const capture = dispute.disputed_transactions?.[0]?.seller_transaction_id
        return disputeOf(dispute, capture ? await handleOfCapture(paypal, capture) : null)
      }),
    readPayout: ref => call(paypal => readPayout(paypal, ref)),
    handleOfCharge: ref => call(paypal => handleOfCapture(paypal, bareOf(ref))),
  }
}

type Balances = {
  readonly balances?: readonly { readonly currency: string; readonly total_balance: Money }[]
}

async function readBalance(paypal: PayPalClient): Promise<ReadonlyMap<string, number>> {
  const path = '/v1/reporting/balances?currency_code=ALL'
  const { balances = [] } = await paypal.get<Balances>(path)
  return new Map(
    balances.map(({ currency, total_balance: { value } }) => [
      currency,
      fromPayPal(value, currency),
    ]),
  )
}

/** A part of the past. */
type Reached = Window & { readonly now_s: number }
type Rows = Omit<Page<never>, 'data'> & { readonly rows: readonly ReportedTransaction[] }

/** One page of the report, and where the next one begins. */
async function report(
  paypal: PayPalClient,
  { from_s, to_s, after, now_s }: Reached,
  size: number,
  balance_affecting: 'Y' | 'N',
): Promise<Rows> {
  const end_s = Math.ceil(Math.min(to_s ?? Infinity, now_s))
  const begin_s = Math.floor(Math.max(from_s, now_s - kept_seconds))
  const place = placeOf(after) ?? { from_s: begin_s, days: part_days.usual, page: 1 }
  const until_s = Math.min(place.from_s + place.days * day_seconds, end_s)
  if (until_s < place.from_s) return { rows: [], has_more: false }
  const query = new URLSearchParams({
    start_date: timeOf(place.from_s),
    end_date: timeOf(until_s),
    fields: 'transaction_info',
    balance_affecting_records_only: balance_affecting,
    page_size: String(size),
    page: String(place.page),
  })
  let found: Report
  try {
    found = await paypal.get<Report>(`/v1/reporting/transactions?${query}`)
  } catch (error) {
    const full = error instanceof ProviderFailure && error.code === 'resultset_too_large'
    if (!full || place.days === part_days.full) throw error
    return { rows: [], has_more: true, next: `${place.from_s}/${part_days.full}/1` }
  }
  const { transaction_details = [], total_pages = 1 } = found
  const rows = transaction_details.map(one => one.transaction_info).filter(isSettled)
  const { days, page } = place
  if (page < total_pages) {
    return { rows, has_more: true, next: `${place.from_s}/${days}/${page + 1}` }
  }
  return until_s < end_s
    ? { rows, has_more: true, next: `${until_s}/${days}/1` }
    : { rows, has_more: false }
}

function placeOf(after: string | undefined): Place | undefined {
  if (after === undefined) return undefined
  const [from_s = 0, days = 1, page = 1] = after.split('/').map(Number)
  return { from_s, days, page }
}

/** Not those that PayPal has denied, or that are pending. */
const isSettled = ({ transaction_status = 'S' }: ReportedTransaction) =>
  transaction_status === 'S' || transaction_status === 'V'

async function handleOfRow(paypal: PayPalClient, row: ReportedTransaction): Promise<string | null> {
  const { transaction_id: id, transaction_event_code = '' } = row
  if (transaction_event_code === 'T1300') {
    const path = `/v2/payments/authorizations/${part(id)}`
    const found = await orNull(paypal.get<Authorization & Capture>(path))
    return found && orderOf(found)
  }
  return kindOfCode(row) === 'charge' ? await handleOfCapture(paypal, id) : null
}

async function handleOfCapture(paypal: PayPalClient, id: string): Promise<string | null> {
  const found = await orNull(paypal.get<Capture>(`/v2/payments/captures/${part(id)}`))
  return found && orderOf(found)
}

/** Money that was sent without an order is no payment of this API. */
async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'refused') return null
    throw error
  }
}

async function readPayout(paypal: PayPalClient, ref: string) {
  const [id = '', at = ''] = bareOf(ref).split('@')
  const at_s = Number(at)
  const window = { from_s: at_s - 1, to_s: at_s + 1, now_s: at_s + 1 }
  const { rows } = await report(paypal, window, page_size, 'Y')
  const found = rows.find(one => one.transaction_id === id)
  if (!found) throw new ProviderFailure('refused', 'payout_unknown')
  const { value, currency_code: currency } = found.transaction_amount
  return {
    id: refOf('payout', id),
    amount_minor: -fromPayPal(value, currency),
    currency,
    status: 'paid',
    arrival_s: at_s,
    booked_ref: id,
    failure_booked_ref: null,
  }
}

async function listEvents(paypal: PayPalClient, { from_s, to_s, after, now_s }: Reached) {
  const query = new URLSearchParams({
    page_size: String(page_size),
    start_time: timeOf(Math.max(from_s, now_s - events_seconds)),
    end_time: timeOf(Math.ceil(to_s ?? now_s)),
  })
  type List = {
    readonly events?: readonly PayPalEvent[]
    readonly links?: readonly { readonly href: string; readonly rel: string }[]
  }
  const { events = [], links = [] } = await paypal.get<List>(
    after ?? `/v1/notifications/webhooks-events?${query}`,
  )
  const following = links.find(({ rel }) => rel === 'next')?.href
  const next = following === undefined ? undefined : URL.parse(following)
  return {
    data: events.flatMap(one => eventOf(one) ?? []),
    has_more: next !== undefined && next !== null && events.length > 0,
    last: next ? `${next.pathname}${next.search}` : undefined,
  }
}
