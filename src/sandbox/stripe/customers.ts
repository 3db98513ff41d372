/**
 * Customers and the payment methods that are kept for them. A method is made of a test card when a
 * payment is confirmed for later use, and belongs to one customer until it is detached for ever.
 */
import type { Stripe } from 'stripe'
import { invalidRequest, malformed, missing } from './api-error.ts'
import { cardOf, shownOf, type Card } from './cards.ts'
import { known, mapOf, requiredText, textOf, type Form } from './form.ts'
import type { Customer, PaymentMethod } from './customer.ts'
import type { PaymentIntent } from './objects.ts'
import type { Store } from './store.ts'
import { stripeId } from './stripe-id.ts'
import type { Work } from './work.ts'

export function createCustomer(work: Work, form: Form): Customer {
  known(form, 'email', 'name', 'description', 'metadata')
  const made: Customer = {
    id: stripeId('cus'),
    object: 'customer',
    created: work.now_s,
    email: textOf(form, 'email'),
    name: textOf(form, 'name'),
    livemode: false,
    metadata: mapOf(form, 'metadata'),
  } satisfies Partial<Stripe.Customer>
  work.put('customer', made.id, made)
  work.emit('customer.created', made)
  return made
}

/** Its methods are detached with it. */
export function deleteCustomer(work: Work, id: string, methods: readonly PaymentMethod[]): object {
  const customer = customerOf(work, id)
  for (const one of methods.filter(method => method.customer === id)) detach(work, one)
  work.put('customer', id, { ...customer, deleted: true })
  work.emit('customer.deleted', customer)
  return { id, object: 'customer', deleted: true }
}

export function shownCustomer(store: Store, id: string): object {
  const found = store.get('customer', id)
  if (!found) throw missing('customer', id)
  return found.deleted ? { id, object: 'customer', deleted: true } : found
}

/** `metadata['name']:'value'`, the one kind of query that is played. */
export function searchCustomers(store: Store, form: Form): object {
  known(form, 'query', 'limit', 'page')
  const [, name, value] =
    /^metadata\[['"](\w+)['"]\]:['"]([^'"]+)['"]$/.exec(requiredText(form, 'query')) ?? []
  if (name === undefined) throw malformed('parameter_invalid', 'query', 'Unsupported query.')
  const data = store.all('customer').filter(one => !one.deleted && one.metadata[name] === value)
  return { object: 'search_result', url: '/v1/customers/search', has_more: false, data }
}

export function attachMethod(work: Work, id: string, form: Form): PaymentMethod {
  known(form, 'customer')
  const customer = customerOf(work, requiredText(form, 'customer')).id
  const method = work.get('payment_method', id)
  if (!method && cardOf(id)) return keep(work, id, customer)
  if (!method) throw missing('PaymentMethod', id, 'payment_method')
  if (method.detached) throw unusable()
  return put(work, { ...method, customer }, 'attached')
}

export function detachMethod(work: Work, id: string, form: Form): PaymentMethod {
  known(form)
  const method = work.get('payment_method', id)
  if (!method) throw missing('PaymentMethod', id, 'payment_method')
  if (method.customer === null) {
    throw invalidRequest('payment_method_not_attached', 'It is not attached to a customer.')
  }
  return detach(work, method)
}

function detach(work: Work, method: PaymentMethod): PaymentMethod {
  return put(work, { ...method, customer: null, detached: true }, 'detached')
}

function put(work: Work, method: PaymentMethod, what: 'attached' | 'detached'): PaymentMethod {
  work.put('payment_method', method.id, method)
  work.emit(`payment_method.${what}`, method)
  return method
}

function keep(work: Work, card: string, customer: string): PaymentMethod {
  const made: PaymentMethod = {
    id: stripeId('pm'),
    object: 'payment_method',
    created: work.now_s,
    customer,
    livemode: false,
    metadata: {},
    type: 'card',
    card: shownOf(card),
    made_of: card,
  }
  return put(work, made, 'attached')
}

/** A customer that was not deleted. */
function customerOf(work: Work, id: string): Customer {
  const found = work.get('customer', id)
  if (!found || found.deleted) throw missing('customer', id, 'customer')
  return found
}

/** The test card behind a method, if this payment may use it, and what it does now. */
export function usableCard(
  work: Work,
  intent: PaymentIntent,
  method: string,
  form: Form,
): Card | undefined {
  const absent = textOf(form, 'off_session') === 'true'
  const kept = work.get('payment_method', method)
  if (kept?.detached) throw unusable()
  if (kept ? kept.customer !== intent.customer : absent) {
    throw invalidRequest(
      'payment_method_unusable',
      'A method of a customer is charged with that customer, and only one is charged off session.',
      { param: 'payment_method' },
    )
  }
  const card = kept ? asKept(cardOf(kept.made_of)) : cardOf(method)
  return card?.action && absent ? { decline: { code: asked, decline_code: asked } } : card
}

const asked = 'authentication_required'

/** A card that was set up for later needs no challenge any more, unless it always does. */
function asKept(card: Card | undefined): Card | undefined {
  if (!card || card.action !== 'until_set_up') return card
  const { action: _none, ...rest } = card
  return rest
}

/** What the payment has then: a method that was just kept has an id of its own. */
export function methodKept(work: Work, intent: PaymentIntent, method: string): string {
  const keeps = intent.setup_future_usage !== null && intent.customer !== null
  if (!keeps || work.get('payment_method', method)) return method
  return keep(work, method, customerOf(work, intent.customer ?? '').id).id
}

export function cardBehind(work: Pick<Work, 'get'>, method: string): string {
  return work.get('payment_method', method)?.made_of ?? method
}

export function viewOfMethod({ made_of: _card, detached: _ended, ...view }: PaymentMethod) {
  return view satisfies Omit<Partial<Stripe.PaymentMethod>, 'card'>
}

function unusable() {
  return invalidRequest(
    'payment_method_unusable',
    'This payment method was detached from its customer and cannot be used again.',
    { param: 'payment_method' },
  )
}

/** What a request says about later payments of a customer. */
export function laterUse(work: Work, form: Form): Partial<PaymentIntent> {
  const customer = textOf(form, 'customer')
  const usage = form['setup_future_usage']
  return {
    ...(customer === null ? {} : { customer: customerOf(work, customer).id }),
    ...(usage === undefined
      ? {}
      : { setup_future_usage: usage === 'off_session' || usage === 'on_session' ? usage : null }),
  }
}
