/** The report of transactions, which is late, the balances, and the events of the last days. */
import { centsOf, moneyOf } from './money.ts'
import type { Made } from './orders.ts'
import { timeAt, type Reported, type Vended } from './records.ts'
import { Refused } from './refusal.ts'

const longest_ms = 31 * 86_400_000

export function listTransactions(vended: Vended, account: string, query: URLSearchParams): Made {
  const from_ms = Date.parse(query.get('start_date') ?? '')
  const to_ms = Date.parse(query.get('end_date') ?? '')
  if (!(to_ms >= from_ms) || to_ms - from_ms > longest_ms) {
    throw new Refused(400, 'INVALID_REQUEST', [{ issue: 'Date range is greater than 31 days' }])
  }
  const all = query.get('balance_affecting_records_only') === 'N'
  const shown_until = vended.clock.nowMs() - vended.config().report_late_seconds * 1000
  const found = vended.store.all('reported').filter(one => {
    const inside = one.at_ms >= from_ms && one.at_ms <= Math.min(to_ms + 999, shown_until)
    return one.account === account && inside && (all || one.code !== 'T1300')
  })
  const size = Number(query.get('page_size') ?? 100)
  const page = Number(query.get('page') ?? 1)
  return {
    status: 200,
    body: {
      transaction_details: found
        .slice((page - 1) * size, page * size)
        .map(one => ({ transaction_info: showReported(one) })),
      account_number: account,
      page,
      total_items: found.length,
      total_pages: Math.max(1, Math.ceil(found.length / size)),
    },
  }
}

function showReported({ id, code, amount, fee, at_ms }: Reported): object {
  return {
    transaction_id: id,
    transaction_event_code: code,
    transaction_initiation_date: timeAt(at_ms),
    transaction_updated_date: timeAt(at_ms),
    transaction_amount: amount,
    ...(fee && { fee_amount: fee }),
    transaction_status: 'S',
  }
}

export function showBalances({ store, clock }: Vended, account: string): Made {
  const sums = new Map<string, number>()
  for (const { account: of, code, amount, fee } of store.all('reported')) {
    if (of !== account || code === 'T1300') continue
    const { currency_code } = amount
    const moved = centsOf(amount) + (fee ? centsOf(fee) : 0)
    sums.set(currency_code, (sums.get(currency_code) ?? 0) + moved)
  }
  const balances = [...sums].map(([currency, cents]) => ({
    currency,
    total_balance: moneyOf(cents, currency),
    available_balance: moneyOf(cents, currency),
  }))
  return { status: 200, body: { balances, account_id: account, as_of_time: timeAt(clock.nowMs()) } }
}

/** The newest first. */
export function listEvents(vended: Vended, account: string, query: URLSearchParams): Made {
  const from_ms = Date.parse(query.get('start_time') ?? '') || 0
  const to_ms = Date.parse(query.get('end_time') ?? '') || Infinity
  const found = vended.store.all('event').filter(one => {
    const at_ms = Date.parse(one.create_time)
    return one.account === account && at_ms >= from_ms && at_ms <= to_ms
  })
  const size = Number(query.get('page_size') ?? 10)
  const start = Number(query.get('next_page_token') ?? 0)
  const events = found.toReversed().slice(start, start + size)
  const next = new URLSearchParams([...query].filter(([name]) => name !== 'next_page_token'))
  next.set('next_page_token', String(start + size))
  const href = `${vended.address()}/v1/notifications/webhooks-events?${next}`
  const links = start + size < found.length ? [{ href, rel: 'next', method: 'GET' }] : []
  return { status: 200, body: { events, count: events.length, links } }
}
