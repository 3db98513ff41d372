/**
 * The endpoints of Stripe's API that this sandbox supports: what each of them reads, changes and
 * returns.
 */
import { malformed, missing } from './api-error.ts'
import { balanceOf } from './balance.ts'
import { createTestToken, createToken, viewOf } from './confirmation-tokens.ts'
import {
  attachMethod,
  createCustomer,
  deleteCustomer,
  detachMethod,
  searchCustomers,
  shownCustomer,
  viewOfMethod,
} from './customers.ts'
import { integerOf, known, listOf, mapOf, textOf, type Form } from './form.ts'
import type { Metadata, TableName, Tables } from './objects.ts'
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  updateIntent,
} from './payment-intents.ts'
import { createRefund } from './refunds.ts'
import { closeDispute } from './disputes.ts'
import type { Store } from './store.ts'
import type { Work } from './work.ts'

export type Endpoint = {
  /**
   * The object that the path names. Faults match its metadata, and requests for one object run one
   * after the other.
   */
  readonly about: string | null
  read?(store: Store, form: Form, now_s: number): object
  change?(work: Work, form: Form, store: Store): object
}

const names: Readonly<Record<string, TableName>> = {
  payment_intents: 'payment_intent',
  charges: 'charge',
  refunds: 'refund',
  balance_transactions: 'balance_transaction',
  payouts: 'payout',
  disputes: 'dispute',
  events: 'event',
  customers: 'customer',
  payment_methods: 'payment_method',
}

const filters: Readonly<Record<string, readonly string[]>> = {
  charges: ['payment_intent'],
  refunds: ['payment_intent', 'charge'],
  balance_transactions: ['payout', 'source', 'type', 'currency'],
  disputes: ['payment_intent', 'charge'],
  events: ['type'],
  payment_methods: ['customer', 'type'],
}

export function endpointOf(method: string, path: string): Endpoint | null {
  const [, version, noun = '', id = null, action, more] = path.split('/')
  if (version !== 'v1' || more !== undefined) return null
  if (method === 'GET' && noun === 'balance' && id === null) {
    return { about: null, read: (store, _form, now_s) => balanceOf(store, now_s) }
  }
  if (method === 'GET' && noun === 'confirmation_tokens' && id !== null && !action) {
    return {
      about: null,
      read: (store, form) => viewOf(shown(store, 'confirmation_token', id, form)),
    }
  }
  const about_customers = ofCustomers(method, noun, id, action)
  if (about_customers) return about_customers
  const table = names[noun]
  if (!table && method === 'GET') return null
  if (table && method === 'GET' && action === undefined) {
    return {
      about: id,
      read: (store, form) =>
        id === null ? listed(store, noun, table, form) : shown(store, table, id, form),
    }
  }
  return method === 'POST' ? changing(noun, id, action) : null
}

function ofCustomers(
  method: string,
  noun: string,
  id: string | null,
  action: string | undefined,
): Endpoint | null {
  const what = `${method} ${noun} ${action ?? ''}`
  if (what === 'GET customers ' && id === 'search') return { about: null, read: searchCustomers }
  if (what === 'POST customers ' && id === null) return { about: null, change: createCustomer }
  if (id === null) return null
  switch (what) {
    case 'GET customers ':
      return { about: id, read: store => shownCustomer(store, id) }
    case 'DELETE customers ':
      return {
        about: id,
        change: (work, _form, store) => deleteCustomer(work, id, store.all('payment_method')),
      }
    case 'GET payment_methods ':
      return {
        about: id,
        read: (store, form) => viewOfMethod(shown(store, 'payment_method', id, form)),
      }
    case 'POST payment_methods attach':
      return { about: id, change: (work, form) => viewOfMethod(attachMethod(work, id, form)) }
    case 'POST payment_methods detach':
      return { about: id, change: (work, form) => viewOfMethod(detachMethod(work, id, form)) }
    default:
      return null
  }
}

function changing(noun: string, id: string | null, action: string | undefined): Endpoint | null {
  if (noun === 'payment_intents' && id === null) return { about: null, change: createIntent }
  if (noun === 'refunds' && id === null) return { about: null, change: createRefund }
  if (noun === 'confirmation_tokens' && id === null) return { about: null, change: createToken }
  if (noun === 'test_helpers' && id === 'confirmation_tokens' && action === undefined) {
    return { about: null, change: createTestToken }
  }
  if (noun === 'disputes' && id !== null && action === 'close') {
    return { about: id, change: work => closeDispute(work, id, false) }
  }
  if (noun === 'disputes' && id !== null && action === undefined) {
    return { about: id, change: (work, form) => respond(work, id, form) }
  }
  if (noun !== 'payment_intents' || id === null) return null
  if (action === undefined) {
    return { about: id, change: (work, form) => updateIntent(work, id, form) }
  }
  if (action === 'confirm')
    return { about: id, change: (work, form) => confirmIntent(work, id, form) }
  if (action === 'capture')
    return { about: id, change: (work, form) => captureIntent(work, id, form) }
  if (action === 'cancel')
    return { about: id, change: (work, form) => cancelIntent(work, id, form) }
  return null
}

function respond(work: Work, id: string, form: Form): object {
  known(form, 'evidence', 'submit', 'metadata')
  const dispute = work.get('dispute', id)
  if (!dispute) throw missing('dispute', id)
  const { due_by } = dispute.evidence_details
  const answered = { ...dispute, evidence_details: { due_by, has_evidence: true } }
  work.put('dispute', id, answered)
  work.emit('charge.dispute.updated', answered)
  return answered
}

/** What a page may do with the publishable key. */
export function isForPages(method: string, path: string): boolean {
  return method === 'POST' && path === '/v1/confirmation_tokens'
}

function shown<K extends TableName>(store: Store, table: K, id: string, form: Form): Tables[K] {
  known(form)
  const found = store.get(table, id)
  if (!found) throw missing(table, id)
  return found
}

const page_max = 100

/** Lists the newest first, like all of Stripe's lists. */
function listed(store: Store, noun: string, table: TableName, form: Form): object {
  const own = filters[noun] ?? []
  const several = noun === 'events' ? ['types'] : []
  known(form, 'limit', 'starting_after', 'ending_before', 'created', ...several, ...own)
  const limit = integerOf(form, 'limit') ?? 10
  if (limit < 1 || limit > page_max) {
    throw malformed('parameter_invalid_integer', 'limit', 'This value must be between 1 and 100.')
  }
  const created = mapOf(form, 'created')
  const types = listOf(form, 'types')
  const all = (store.all(table) as (Tables[TableName] & { id: string; created: number })[])
    .filter(one => within(one.created, created))
    .filter(one => types.length === 0 || types.includes((one as { type?: string }).type ?? ''))
    .filter(one =>
      own.every(name => {
        const wanted = textOf(form, name)
        return wanted === null || (one as unknown as Metadata)[name] === wanted
      }),
    )
    .toReversed()
  const [after, before] = [textOf(form, 'starting_after'), textOf(form, 'ending_before')]
  const from = after === null ? 0 : all.findIndex(one => one.id === after) + 1
  const to = before === null ? all.length : all.findIndex(one => one.id === before)
  const start = before === null ? from : Math.max(from, to - limit)
  const data = all.slice(start, Math.min(start + limit, to))
  return {
    object: 'list',
    url: `/v1/${noun}`,
    has_more: before === null ? start + limit < to : start > 0,
    data,
  }
}

function within(at: number, { gte, gt, lte, lt }: Record<string, string>): boolean {
  return (
    (gte === undefined || at >= Number(gte)) &&
    (gt === undefined || at > Number(gt)) &&
    (lte === undefined || at <= Number(lte)) &&
    (lt === undefined || at < Number(lt))
  )
}

const tables_by_prefix: Readonly<Record<string, TableName>> = {
  pi: 'payment_intent',
  ch: 'charge',
  re: 'refund',
  txn: 'balance_transaction',
  po: 'payout',
  dp: 'dispute',
}
const expand_depth_max = 4

/** Replaces ids by the named objects, at most four levels deep. */
export function expanded(store: Store, answer: object, form: Form): object {
  const paths = listOf(form, 'expand')
  if (paths.length === 0) return answer
  const copy = structuredClone(answer) as Record<string, unknown>
  for (const path of paths) {
    const steps = path.split('.')
    if (steps.length > expand_depth_max) {
      throw malformed('parameter_invalid', 'expand', 'At most 4 levels can be expanded.')
    }
    descend(store, copy, steps)
  }
  return copy
}

function descend(store: Store, at: unknown, [step, ...rest]: string[]): void {
  if (Array.isArray(at)) return at.forEach(one => descend(store, one, [step ?? '', ...rest]))
  if (typeof at !== 'object' || at === null || step === undefined) return
  const holder = at as Record<string, unknown>
  const value = holder[step]
  if (typeof value === 'string') {
    const table = tables_by_prefix[value.split('_')[0] ?? '']
    const found = table && store.get(table, value)
    if (found) holder[step] = structuredClone(found)
  }
  if (rest.length > 0) descend(store, holder[step], rest)
}
