/** Routes of payment requests and payment links, for their merchant. */
import { equal, exact, Id, oneOf, Problem, reply, routesOf, text } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findWanted, type AccountWish } from '../accounts/choose-account.ts'
import { CreateRequest } from '../schemas.ts'
import { isPayable } from './accounts-of.ts'
import { closeRequest } from './close-request.ts'
import { createRequest } from './create-request.ts'
import {
  findRequest,
  PaymentRequest,
  request_states,
  requestExpressions,
  RequestRow,
  viewOf,
} from './request-row.ts'

const path = '/v1/payment-requests'
const absent = 'payment_request_not_found'

const { open, create, get, list, post } = routesOf<Deps>({
  absent,
  added: true,
  read: 'payments.requests.read',
  // The address of a page is a right to pay.
  tool: 'never',
})

export const requestRoutes = open({
  createPaymentRequest: create(
    path,
    'Create a payment request, with a page to pay it',
    {
      description:
        'Send its `url` to who pays. Without an amount, the payer says it. With more than one use it is a payment link, and each buyer pays a request of their own with its `link_id`. What is paid is captured at once. It is paid at any account that is offered, unless you name one by `provider` or `account`. With `intent_id` it is for a payment that was not authorized: until the request ends, only its page moves this payment.',
      permission: 'payments.requests.create',
      idempotency: 'required',
      record: 'reference',
      body: CreateRequest,
      reply: PaymentRequest,
      fails: [
        'amount_too_small',
        'amount_too_large',
        'amount_not_representable',
        'currency_unknown',
        'payment_page_unavailable',
        'provider_unsupported',
        'payment_account_unusable',
        'customer_unusable',
        'payment_intent_not_found',
        'invalid_transition',
        'intent_managed',
        'operation_pending',
        'quota_exceeded',
      ],
    },
    {
      // Asked before the transaction: the addresses of a sandbox are in a file.
      prepare: async ({ principal: { tenant_id }, body }, deps) => {
        const { currency, intent_id = null } = body
        const account = await accountFor(deps, tenant_id, body)
        if (account instanceof Problem) return account
        const asked = { tenant_id, intent_id, amount_minor: null, currency, account }
        return (await isPayable(deps, asked)) ? { account } : problem('payment_page_unavailable')
      },
      handle: async ({ tx, principal: { tenant_id }, body, prepared }, deps) => {
        if (prepared instanceof Problem) throw prepared
        const row = await createRequest(tx, deps, body, tenant_id, prepared)
        tx.audit('payments.requests.create', `payment_request:${row.id}`)
        return viewOf(row, deps)
      },
      // Rendered again, because the URL is a right to pay and to see what is owed.
      again: async ({ tx, principal: { tenant_id }, resource_ref }, deps) => {
        const row = await findRequest(tx, { tenant_id, id: resource_ref.slice(path.length + 1) })
        if (!row) throw problem(absent)
        return viewOf(row, deps)
      },
    },
  ),

  listPaymentRequests: list(path, 'List payment requests, newest first', {
    permission: 'payments.requests.read',
    added: true,
    from: 'payments.payment_requests',
    row: RequestRow,
    columns: requestExpressions,
    item: PaymentRequest,
    view: viewOf,
    time: 'id',
    filters: {
      state: equal(oneOf(...request_states)),
      order_ref: equal(text(128)),
      link_id: equal(Id),
    },
    find: [exact('order_ref')],
    shows: ['description', 'order_ref'],
  }),

  getPaymentRequest: get(
    `${path}/{id}`,
    'Get a payment request',
    { reply: PaymentRequest },
    async ({ tx, params: { id }, principal: { tenant_id } }, deps) => {
      const row = await findRequest(tx, { tenant_id, id })
      if (!row) throw problem(absent)
      return viewOf(row, deps)
    },
  ),

  cancelPaymentRequest: post(
    `${path}/{id}/cancel`,
    'Cancel a payment request or a payment link',
    {
      description:
        'A payment that waits for its payer is cancelled first: then the reply is 202, and the request is cancelled as soon as that is certain. What is paid meanwhile is paid. Of a payment link, nothing new begins, and payments that buyers have begun may still end.',
      permission: 'payments.requests.cancel',
      sends: ['location'],
      replies: { 200: PaymentRequest, 202: PaymentRequest },
      fails: ['request_not_open'],
    },
    async ({ tx, params: { id }, principal: { tenant_id } }, deps) => {
      const row = await closeRequest(tx, deps, { tenant_id, id }, 'cancelled')
      if (!row) throw problem(absent)
      if (row.state === 'paid' || row.state === 'expired') {
        throw problem('request_not_open', { current_state: row.state })
      }
      tx.audit('payments.requests.cancel', `payment_request:${id}`)
      const shown = viewOf(row, deps)
      if (row.state !== 'processing') return reply(200, shown)
      return reply(202, shown, { location: `${path}/${id}` })
    },
  ),
})

/** The wish of the merchant; null if there is none. A refusal is only thrown for a new request. */
async function accountFor(deps: Deps, tenant_id: string, { provider, account }: AccountWish) {
  if (provider === undefined && account === undefined) return null
  try {
    return await findWanted(deps.kernel.db, deps, tenant_id, { provider, account })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
