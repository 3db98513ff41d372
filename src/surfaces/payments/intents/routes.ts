/** Routes of payment intents: create and show them, and run operations at the provider. */
import { etag } from '../../../kernel/http/etag.ts'
import { list } from '../../../kernel/http/lists/list.ts'
import { equal, exact } from '../../../kernel/http/lists/members.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { oneOf, text } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findByKey, leaseSeconds } from '../operations/begin-operation.ts'
import { perform, type Certain } from '../operations/perform.ts'
import { partRefusals } from '../money/read-amount.ts'
import { replyFor } from '../operations/reply-for.ts'
import { findIntent, intent_states, intentExpressions, IntentRow } from '../operations/rows.ts'
import { settleOperation } from '../operations/settle-operation.ts'
import { Authorize, Cancel, Capture, CreateIntent } from '../schemas.ts'
import { beginAuthorize } from './begin-authorize.ts'
import { beginCancel } from './begin-cancel.ts'
import { beginCapture } from './begin-capture.ts'
import { refuseCardData } from './card-data.ts'
import { createIntent } from './create-intent.ts'
import { Intent, IntentSummary, showIntent, summaryOf, tagOf, viewOf } from './intent-view.ts'
import { nextActionOf } from './next-action.ts'

const path = '/v1/payment-intents'
const one = `${path}/{id}` as const
const absent = 'payment_intent_not_found'

export function intentRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    listIntents('listPaymentIntents', deps),
    getRoute(deps),
    authorizeRoute(deps),
    captureRoute(deps),
    cancelRoute(deps),
  ]
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'createPaymentIntent',
    summary: 'Create a payment intent',
    description: 'Nothing is sent to the payment provider before the intent is authorized.',
    permission: 'payments.intents.create',
    idempotency: 'required',
    body: CreateIntent,
    inspectBody: refuseCardData,
    unknown_members: 'refused',
    sends: ['etag', 'location'],
    replies: { 201: Intent },
    fails: [
      'amount_ambiguous',
      'amount_precision',
      'amount_too_small',
      'amount_too_large',
      'amount_not_representable',
      'currency_unknown',
      'provider_unsupported',
      'card_data_refused',
    ],
    handle: async ({ tx, principal, body, key }) => {
      const { tenant_id, id: principal_id } = principal
      const known = key && (await findByKey(tx, tenant_id, principal_id, 'create', key))
      const maker = { tenant_id, principal_id, key, managed: false }
      const made = known
        ? { id: known.intent_id ?? '', operation_id: known.id }
        : await createIntent(tx, deps, body, maker)
      const shown = await showIntent(tx, { tenant_id, id: made.id })
      const headers = { location: `${path}/${made.id}`, etag: etag(shown.version) }
      return reply(201, { ...shown, operation_id: made.operation_id }, headers)
    },
  })
}

const listIntents = list(path, 'List payment intents, newest first', {
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
  find: [exact('order_ref'), exact('charge_ref')],
})

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getPaymentIntent',
    summary: 'Get a payment intent with its last operations',
    description:
      'If the cardholder must authenticate, `next_action` has the URL. It is read from the provider at each request.',
    permission: 'payments.intents.read',
    transaction: 'own',
    head: true,
    absent,
    sends: ['etag'],
    replies: { 200: Intent },
    fails: [absent],
    handle: async ({ db, params: { id }, principal: { tenant_id } }) => {
      const row = await findIntent(db, { tenant_id, id })
      if (!row) throw problem(absent)
      const view = await viewOf(db, row, await nextActionOf(deps, row))
      return reply(200, view, { etag: tagOf(view) })
    },
  })
}

const moving = [
  absent,
  'operation_pending',
  'invalid_transition',
  'intent_managed',
  'payment_refused',
  'card_data_refused',
  'payment_provider_unavailable',
]

function authorizeRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${one}/authorize`,
    name: 'authorizePaymentIntent',
    summary: 'Authorize a payment: hold its amount',
    description:
      'If the outcome is not known, the reply is 202 with the state `pending`. The platform then finds out the outcome and emits an event.',
    permission: 'payments.intents.authorize',
    idempotency: 'required',
    transaction: 'own',
    lease_seconds: leaseSeconds(deps.kernel.settings['payments.provider_timeout_ms']),
    absent,
    body: Authorize,
    inspectBody: refuseCardData,
    unknown_members: 'refused',
    sends: ['etag', 'location'],
    replies: { 200: Intent, 202: Intent },
    fails: [...moving, 'payment_declined', 'payment_method_invalid', 'rate_limited'],
    operation: {
      begin: async ({ tx, operation_id, params: { id }, principal, body, key }) => {
        const known = key && (await knownReply(tx, principal, 'authorize', key))
        if (known) return known
        const { payment_method, return_url = null } = body
        await beginAuthorize(tx, deps, {
          ...askedBy(principal, operation_id, id, key),
          payment_method,
          return_url,
        })
        return undefined
      },
      ...rest(deps),
    },
  })
}

function captureRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${one}/capture`,
    name: 'capturePaymentIntent',
    summary: 'Capture an authorized payment, in full or in part',
    permission: 'payments.intents.capture',
    idempotency: 'required',
    transaction: 'own',
    lease_seconds: leaseSeconds(deps.kernel.settings['payments.provider_timeout_ms']),
    absent,
    body: Capture,
    body_optional: true,
    inspectBody: refuseCardData,
    unknown_members: 'refused',
    sends: ['etag', 'location'],
    replies: { 200: Intent, 202: Intent },
    fails: [...moving, 'amount_exceeds_capturable', ...partRefusals, 'authorization_expired'],
    operation: {
      begin: async ({ tx, operation_id, params: { id }, principal, body, key }) => {
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
      ...rest(deps),
    },
  })
}

function cancelRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${one}/cancel`,
    name: 'cancelPaymentIntent',
    summary: 'Cancel a payment that is not captured, and release the authorized amount',
    permission: 'payments.intents.cancel',
    idempotency: 'required',
    transaction: 'own',
    lease_seconds: leaseSeconds(deps.kernel.settings['payments.provider_timeout_ms']),
    absent,
    body: Cancel,
    body_optional: true,
    inspectBody: refuseCardData,
    unknown_members: 'refused',
    sends: ['etag', 'location'],
    replies: { 200: Intent, 202: Intent },
    fails: moving,
    operation: {
      begin: async ({ tx, operation_id, params: { id }, principal, body, key }) => {
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
      ...rest(deps),
    },
  })
}

type Caller = { readonly id: string; readonly tenant_id: string }
type Key = Parameters<typeof findByKey>[4]
type Kind = 'authorize' | 'capture' | 'cancel'

function askedBy(principal: Caller, operation_id: string, intent_id: string, key: Key | null) {
  const { id: principal_id, tenant_id } = principal
  return { operation_id, tenant_id, intent_id, principal_id, key, managed: false }
}

/**
 * A key is kept longer than its recorded outcome. The key still names one operation, and this
 * function returns the state of that operation.
 */
async function knownReply(
  tx: Parameters<typeof findByKey>[0],
  { id, tenant_id }: Caller,
  type: Kind,
  key: Key,
) {
  const known = await findByKey(tx, tenant_id, id, type, key)
  return known && orThrow(await replyFor(tx, known.id))
}

function orThrow<T>(answer: T): Exclude<T, Error> {
  if (answer instanceof Error) throw answer
  return answer as Exclude<T, Error>
}

/** Calling the provider and finishing are the same for all three operations. */
function rest(deps: Deps) {
  return {
    call: (operation_id: string, attempt: 'first' | 'resumed') =>
      perform(deps, operation_id, attempt),
    finish: async (
      tx: Parameters<typeof settleOperation>[0],
      operation_id: string,
      outcome: Certain,
    ) => {
      await settleOperation(tx, deps, operation_id, outcome)
      await deps.kernel.fault('payments.in_apply')
      return await replyFor(tx, operation_id)
    },
  }
}
