/** The history of a payment in order: calls of the provider, ledger entries, disputes. */
import { nameOf, titleOf, words } from '../language.ts'
import { useLive } from '../live.ts'
import { callOperation, plain, type OperationId, type Page, type Row } from '../operation.ts'
import { mayCall } from '../resource.ts'
import { addressOf, Link } from '../router.tsx'
import { useRead } from '../use-read.ts'
import { State, textOf, Time } from '../value.tsx'
import type { PanelProps } from './panel.ts'

type Step = {
  readonly id: string
  readonly at: string
  readonly what: string
  readonly state: string
  readonly amount: string
  readonly to: string | null
}

const books = { en: 'Ledger', de: 'Buchung' }
const dispute = { en: 'Dispute', de: 'Streitfall' }

export function PaymentTimeline({ row }: PanelProps) {
  const id = plain(row['id'])
  const read = useRead(`timeline ${id}`, async signal => {
    const of = async (list: OperationId) =>
      mayCall(list)
        ? ((await callOperation(list, { query: { intent_id: id, limit: 100 }, signal })) as Page)
            .data
        : []
    const [entries, disputes] = await Promise.all([
      of('listLedgerTransactions'),
      of('listDisputes'),
    ])
    return [...entries.map(bookStep), ...disputes.map(disputeStep)]
  })
  useLive(['payment.', 'refund.', 'dispute.'], read.reload)
  const operations = (row['operations'] ?? []) as readonly Row[]
  const steps = [...operations.map(one => operationStep(one, row)), ...(read.data ?? [])]
  return (
    <section class="card">
      <h2>{words.timeline}</h2>
      {Number(row['amount_refunded_minor']) > 0 && (
        <p>
          {nameOf('amount_refunded_minor')}: {priced(row['amount_refunded_minor'], row)}
        </p>
      )}
      {steps.length === 0 && <p class="soft">{words.none}</p>}
      <ol class="timeline">
        {steps
          .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
          .map(({ id: step, at, what, state, amount, to }) => (
            <li key={step}>
              <Time value={at} /> {to === null ? what : <Link to={to}>{what}</Link>} {amount}{' '}
              {state !== '' && <State value={state} />}
            </li>
          ))}
      </ol>
    </section>
  )
}

function priced(amount_minor: unknown, row: Row): string {
  const { currency } = row
  return textOf({ name: '', value: { amount_minor, currency }, row })
}

function operationStep(one: Row, intent: Row): Step {
  return {
    id: plain(one['id']),
    at: plain(one['created_at']),
    what: plain(one['type']),
    state: plain(one['state']),
    amount: priced(one['amount_minor'], intent),
    to: null,
  }
}

function bookStep(one: Row): Step {
  const [first] = one['entries'] as readonly Row[]
  return {
    id: plain(one['id']),
    at: plain(one['effective_at']),
    what: `${titleOf(books)}: ${plain(one['purpose'])}`,
    state: '',
    amount: first ? textOf({ name: '', value: first, row: one }) : '',
    to: addressOf(['payments', 'ledger', plain(one['id'])]),
  }
}

function disputeStep(one: Row): Step {
  return {
    id: plain(one['id']),
    at: plain(one['created_at']),
    what: `${titleOf(dispute)}: ${plain(one['reason'])}`,
    state: plain(one['state']),
    amount: textOf({ name: '', value: one, row: one }),
    to: addressOf(['payments', 'disputes', plain(one['id'])]),
  }
}
