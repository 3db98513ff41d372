/** Routes of returns. Buyers request returns, and people with the duty of refunds decide. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { etag } from '../../../kernel/http/etag.ts'
import { list } from '../../../kernel/http/lists/list.ts'
import { equal, owner } from '../../../kernel/http/lists/members.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, oneOf } from '../../../kernel/http/shapes.ts'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import type { Deps } from '../deps.ts'
import type { Key } from '../schemas.ts'
import { approveReturn, cancelReturn, rejectReturn, requireOther } from './decide-return.ts'
import { receiveReturn } from './receive-return.ts'
import { requestRefund } from './request-refund.ts'
import { requestReturn } from './request-return.ts'
import { findReturn, lockReturn, showReturn } from './return-row.ts'
import {
  ApproveReturn,
  ReceiveReturn,
  RequestReturn,
  Return,
  return_states,
  type Return as ReturnView,
} from './schemas.ts'

const path = '/v1/returns'
const one = `${path}/{return_id}` as const
const absent = 'return_not_found'
const reads = 'commerce.orders.read_any'
const decides = 'commerce.returns.decide'

export function returnRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    listReturns('listReturns', deps),
    getRoute(),
    approveRoute(),
    rejectRoute(),
    receiveRoute(deps),
    cancelRoute(),
    retryRoute(),
  ]
}

async function replyOf(reader: Reader, key: Key) {
  const shown = await showReturn(reader, key)
  return reply(200, shown, { etag: etag(shown.version) })
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'requestReturn',
    summary: 'Request a return of goods from your order',
    permission: 'authenticated',
    rate_tenant: false,
    idempotency: 'required',
    body: RequestReturn,
    inspectBody: body => deps.payments.refuseCardData(body),
    unknown_members: 'refused',
    sends: ['etag', 'location'],
    replies: { 201: Return },
    fails: [
      'order_not_found',
      'return_quantity_exceeded',
      'order_not_returnable',
      'card_data_refused',
    ],
    handle: async ({ tx, principal, body, key }) => {
      if (!key) throw new Error('a return has a key')
      const { tenant_id, id: buyer_id } = principal
      const made =
        (await findByKey(tx, 'returns', principal, key)) ??
        (await requestReturn(tx, { tenant_id, buyer_id, key, given: body }))
      const shown = await showReturn(tx, made)
      const headers = { location: `${path}/${made.id}`, etag: etag(shown.version) }
      return reply(201, shown, headers)
    },
  })
}

const Listed = Type.Object({
  id: Type.String(),
  view: Type.Unsafe<ReturnView>({ type: 'object' }),
})

const listReturns = list(
  path,
  'List your returns, newest first; with a permission those of all buyers',
  {
    rate_tenant: false,
    added: true,
    from: 'commerce.returns',
    row: Listed,
    columns: { view: sql`commerce.return_view(t.tenant_id, t.id)` },
    item: Return,
    view: row => row.view,
    of: owner('buyer_id', reads),
    time: 'id',
    filters: { state: equal(oneOf(...return_states)) },
  },
)

function getRoute(): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getReturn',
    summary: 'A return with its refund',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    asks_grants: true,
    absent,
    replies: { 200: Return },
    sends: ['etag'],
    fails: [absent],
    handle: async ({ tx, principal, params, grants }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const { buyer_id } = await findReturn(tx, key)
      const own = buyer_id === principal.id
      if (!own && !(await grants()).has(reads)) throw problem(absent)
      return await replyOf(tx, key)
    },
  })
}

const deciding = {
  method: 'POST',
  added: true,
  unknown_members: 'refused',
  idempotency: 'required',
  absent,
  sends: ['etag'],
  replies: { 200: Return },
  fails: [absent, 'invalid_transition', 'permission_denied'],
} as const

function approveRoute(): Route {
  return route({
    ...deciding,
    path: `${one}/approve`,
    name: 'approveReturn',
    summary: 'Approve a return',
    permission: decides,
    body: ApproveReturn,
    body_optional: true,
    fails: [...deciding.fails, 'restocking_fee_exceeds_refund'],
    handle: async ({ tx, principal, params, body }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const given = (body as typeof body | undefined) ?? {} // the body is optional
      const { refund_shipping = 'none', restocking_fee_minor = 0 } = given
      await approveReturn(tx, key, principal, { refund_shipping, restocking_fee_minor })
      return await replyOf(tx, key)
    },
  })
}

function rejectRoute(): Route {
  return route({
    ...deciding,
    path: `${one}/reject`,
    name: 'rejectReturn',
    summary: 'Reject a return',
    permission: decides,
    body: closed({}),
    body_optional: true,
    handle: async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await rejectReturn(tx, key, principal)
      return await replyOf(tx, key)
    },
  })
}

function receiveRoute(deps: Deps): Route {
  return route({
    ...deciding,
    path: `${one}/receive`,
    name: 'receiveReturn',
    summary: 'Receive the goods of a return, and pay them back',
    description:
      'The refund is exactly what the buyer paid for these units, less the fee. If the provider counts the currency in larger steps (ten minor units for KWD), the rest below a step is paid with the next return of the order.',
    permission: 'commerce.returns.receive',
    body: ReceiveReturn,
    fails: [...deciding.fails, 'return_quantity_exceeded'],
    handle: async ({ tx, principal, params, body }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await receiveReturn(tx, deps, key, principal, body)
      return await replyOf(tx, key)
    },
  })
}

function cancelRoute(): Route {
  return route({
    ...deciding,
    path: `${one}/cancel`,
    name: 'cancelReturn',
    summary: 'Cancel your return before the goods are received',
    permission: 'authenticated',
    rate_tenant: false,
    body: closed({}),
    body_optional: true,
    handle: async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await cancelReturn(tx, key, principal.id)
      return await replyOf(tx, key)
    },
  })
}

function retryRoute(): Route {
  return route({
    ...deciding,
    path: `${one}/retry-refund`,
    name: 'retryRefund',
    summary: 'Retry the failed refund of a return',
    permission: decides,
    body: closed({}),
    body_optional: true,
    handle: async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const { order, found } = await lockReturn(tx, key)
      requireOther(principal, found)
      if (found.state !== 'refund_failed') {
        throw problem('invalid_transition', {
          current_state: found.state,
          detail: 'Only a refund that failed is asked for again.',
        })
      }
      await requestRefund(tx, order, found, found.refund_minor ?? 0)
      tx.audit('commerce.returns.retry_refund', `return:${found.id}`)
      return await replyOf(tx, key)
    },
  })
}
