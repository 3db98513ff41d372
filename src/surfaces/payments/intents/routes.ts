/** Routes of payment intents: create and show them, and run operations at the provider. */
import { equal, exact, list, oneOf, reply, routesOf, text, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findByKey, leaseSeconds } from '../operations/begin-operation.ts'
import { perform, type Certain } from '../operations/perform.ts'
import { partRefusals } from '../money/read-amount.ts'
import { replyFor } from '../operations/reply-for.ts'
import { findIntent, intent_states, intentExpressions, IntentRow } from '../operations/rows.ts'
import { settleOperation } from '../operations/settle-operation.ts'
import { Authorize, Cancel, Capture, CreateIntent } from '../schemas.ts'
import { method_refusals, needsMethods, withRights } from '../methods/choose-method.ts'
import { beginAuthorize } from './begin-authorize.ts'
import { beginCancel } from './begin-cancel.ts'
import { beginCapture } from './begin-capture.ts'
import { refuseCardData } from './card-data.ts'
import { createIntent } from './create-intent.ts'
import { Intent, IntentSummary, NextStep, showIntent, summaryOf, tagOf } from './intent-view.ts'
import { nextActionOf, nothing_to_do } from './next-action.ts'

const path = '/v1/payment-intents'
const one = `${path}/{id}` as const
const absent = 'payment_intent_not_found'

const listPaymentIntents = list(path, 'List payment intents, newest first', {
  tool: 'read',
  permission: 'payments.intents.read',
  added: true,
  from: 'payments.payment_intents',
  row: IntentRow,
  columns: intentExpressions,
  item: IntentSummary,
  view: summaryOf,
  time: 'id',
  filters: {
    order_ref: equal(text(128)),
    state: equal(oneOf(...intent_states)),
    currency: equal(text(3, 3)),
  },
  sort: { amount_minor: { column: 'amount_minor', type: 'bigint', within: 'currency' } },
  find: [exact('order_ref'), exact('provider_handle'), exact('charge_ref')],
  shows: ['order_ref'],
})

const moving = [
  'operation_pending',
  'invalid_transition',
  'intent_managed',
  'payment_refused',
  'card_data_refused',
  'payment_provider_unavailable',
]

const moves = ({ kernel }: Deps) =>
  ({
    sends: ['etag', 'location'],
    idempotency: 'required',
    lease_seconds: leaseSeconds(kernel.settings['payments.provider_timeout_ms']),
    inspectBody: refuseCardData,
    replies: { 200: Intent, 202: Intent },
  }) as const

type Caller = { readonly id: string; readonly tenant_id: string }
type Key = Parameters<typeof findByKey>[4]
type Kind = 'authorize' | 'capture' | 'cancel'

const { open, get, create, post } = routesOf<Deps>({ absent, read: 'payments.intents.read' })

export const intentRoutes = open({
  createPaymentIntent: create(
    path,
    'Create a payment intent',
    {
      description: 'Nothing is sent to the payment provider before the intent is authorized.',
      permission: 'payments.intents.create',
      idempotency: 'required',
      body: CreateIntent,
      inspectBody: refuseCardData,
      reply: Intent,
      fails: [
        'amount_ambiguous',
        'amount_precision',
        'amount_too_small',
        'amount_too_large',
        'amount_not_representable',
        'currency_unknown',
        'provider_unsupported',
        'payment_account_unusable',
        'customer_unusable',
        'card_data_refused',
      ],
    },
    async ({ tx, principal, body, key }, deps) => {
      const { tenant_id, id: principal_id } = principal
      const known = key && (await findByKey(tx, tenant_id, principal_id, 'create', key))
      const maker = { tenant_id, principal_id, key, managed: false }
      const made = known
        ? { id: known.intent_id ?? '', operation_id: known.id }
        : await createIntent(tx, deps, body, maker)
      const shown = await showIntent(tx, { tenant_id, id: made.id })
      return { ...shown, operation_id: made.operation_id }
    },
  ),

  listPaymentIntents,

  getPaymentIntent: get(
    one,
    'Get a payment intent with its last operations',
    {
      tool: 'read',
      description:
        'If the cardholder must authenticate, `next_action` has the URL. Without a URL, the script of the provider does it with the secret of `…/next-action`. It is read from the provider at each request.',
      transaction: 'own',
      head: true,
      reply: Intent,
    },
    async ({ db, params: { id }, principal: { tenant_id } }, deps) => {
      const view = await showIntent(db, { tenant_id, id }, row => nextActionOf(deps, row))
      return reply(200, view, { etag: tagOf(view) })
    },
  ),

  getPaymentNextAction: get(
    `${one}/next-action`,
    'What the cardholder has to do, with the secret for their browser',
    {
      tool: 'never',
      description:
        'Give it only to the browser that pays. Without a `url`, the script of the provider does it with the `client_secret`. The type `none` means that nothing has to be done now.',
      permission: 'payments.intents.authorize',
      transaction: 'own',
      head: true,
      added: true,
      reply: NextStep,
    },
    async ({ db, params: { id }, principal: { tenant_id } }, deps) => {
      const row = await findIntent(db, { tenant_id, id })
      if (!row) throw problem(absent)
      return (await nextActionOf(deps, row)) ?? nothing_to_do
    },
  ),

  authorizePaymentIntent: post(
    `${one}/authorize`,
    'Authorize a payment: hold its amount',
    (deps: Deps) => ({
      ...moves(deps),
      description:
        'If the outcome is not known, the reply is 202 with the state `pending`. The platform then finds out the outcome and emits an event. With `save` the payment method is kept for later payments of the customer. A saved one is named by its id. Without its payer (`off_session`) it needs `payments.methods.charge`.',
      permission: 'payments.intents.authorize',
      body: Authorize,
      fails: [
        ...moving,
        'payment_declined',
        'payment_method_invalid',
        'payment_account_closed',
        'rate_limited',
        ...method_refusals,
      ],
    }),
    {
      operation: {
        begin: async ({ tx, operation_id, params: { id }, principal, body, key, grants }, deps) => {
          const known = key && (await knownReply(tx, principal, 'authorize', key))
          if (known) return known
          const { return_url = null, ...wish } = body
          await beginAuthorize(tx, deps, {
            ...askedBy(principal, operation_id, id, key),
            ...(needsMethods(wish) ? await withRights(principal, grants, wish) : wish),
            return_url,
          })
          return undefined
        },
        call,
        finish,
      },
    },
  ),

  capturePaymentIntent: post(
    `${one}/capture`,
    'Capture an authorized payment, in full or in part',
    (deps: Deps) => ({
      ...moves(deps),
      permission: 'payments.intents.capture',
      body: Capture,
      body_optional: true,
      fails: [...moving, 'amount_exceeds_capturable', ...partRefusals, 'authorization_expired'],
    }),
    {
      operation: {
        begin: async ({ tx, operation_id, params: { id }, principal, body, key }, deps) => {
          const known = key && (await knownReply(tx, principal, 'capture', key))
          if (known) return known
          const given = (body as typeof body | undefined) ?? {} // the body is optional
          await beginCapture(tx, deps, {
            ...askedBy(principal, operation_id, id, key),
            amount_minor: given.amount_minor ?? null,
            amount: given.amount,
          })
          return undefined
        },
        call,
        finish,
      },
    },
  ),

  cancelPaymentIntent: post(
    `${one}/cancel`,
    'Cancel a payment that is not captured, and release the authorized amount',
    (deps: Deps) => ({
      ...moves(deps),
      permission: 'payments.intents.cancel',
      body: Cancel,
      body_optional: true,
      fails: moving,
    }),
    {
      operation: {
        begin: async ({ tx, operation_id, params: { id }, principal, body, key }, deps) => {
          const known = key && (await knownReply(tx, principal, 'cancel', key))
          if (known) return known
          const given = (body as typeof body | undefined) ?? {} // the body is optional
          const sends = await beginCancel(tx, deps, {
            ...askedBy(principal, operation_id, id, key),
            reason: given.reason ?? 'requested',
          })
          if (sends) return undefined
          return orThrow(await replyFor(tx, operation_id))
        },
        call,
        finish,
      },
    },
  ),
})

function askedBy(principal: Caller, operation_id: string, intent_id: string, key: Key | null) {
  const { id: principal_id, tenant_id } = principal
  return { operation_id, tenant_id, intent_id, principal_id, key, managed: false }
}

/**
 * A key is kept longer than its recorded outcome. The key still names one operation, and this
 * function returns the state of that operation.
 */
async function knownReply(tx: Tx, { id, tenant_id }: Caller, type: Kind, key: Key) {
  const known = await findByKey(tx, tenant_id, id, type, key)
  return known && orThrow(await replyFor(tx, known.id))
}

function orThrow<T>(answer: T): Exclude<T, Error> {
  if (answer instanceof Error) throw answer
  return answer as Exclude<T, Error>
}

// Calling the provider and finishing are the same for all three operations.

function call(
  operation_id: string,
  attempt: 'first' | 'resumed',
  _signal: AbortSignal,
  _context: unknown,
  deps: Deps,
) {
  return perform(deps, operation_id, attempt)
}

async function finish(tx: Tx, operation_id: string, outcome: Certain, deps: Deps) {
  await settleOperation(tx, deps, operation_id, outcome)
  await deps.kernel.fault('payments.in_apply')
  return await replyFor(tx, operation_id)
}
