/** Routes of returns. Buyers request returns, and people with the duty of refunds decide. */
import { Type } from 'typebox'
import { closed, equal, list, oneOf, owner, routesOf, sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import type { Deps } from '../deps.ts'
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

const { open, create, get, post } = routesOf<Deps>({ absent, permission: decides })

const own = { permission: 'authenticated', rate_tenant: false } as const
const fails = ['invalid_transition', 'permission_denied']
const deciding = {
  added: true,
  idempotency: 'required',
  reply: Return,
  fails,
} as const
const empty = { body: closed({}), body_optional: true } as const

const Listed = Type.Object({
  id: Type.String(),
  view: Type.Unsafe<ReturnView>({ type: 'object' }),
})

export const returnRoutes = open({
  requestReturn: create(
    path,
    'Request a return of goods from your order',
    ({ payments }: Deps) => ({
      tool: 'write',
      ...own,
      idempotency: 'required',
      body: RequestReturn,
      inspectBody: body => payments.refuseCardData(body),
      reply: Return,
      fails: [
        'order_not_found',
        'return_quantity_exceeded',
        'order_not_returnable',
        'card_data_refused',
      ],
    }),
    async ({ tx, principal, body, key }) => {
      if (!key) throw new Error('a return has a key')
      const { tenant_id, id: buyer_id } = principal
      const made =
        (await findByKey(tx, 'returns', principal, key)) ??
        (await requestReturn(tx, { tenant_id, buyer_id, key, given: body }))
      return await showReturn(tx, made)
    },
  ),

  listReturns: list(
    path,
    'List your returns, newest first; with a permission those of all buyers',
    {
      tool: 'read',
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
  ),

  getReturn: get(
    one,
    'A return with its refund',
    { tool: 'read', for_others: reads, ...own, added: true, asks_grants: true, reply: Return },
    async ({ tx, principal, params, grants }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const { buyer_id } = await findReturn(tx, key)
      if (buyer_id !== principal.id && !(await grants()).has(reads)) throw problem(absent)
      return await showReturn(tx, key)
    },
  ),

  approveReturn: post(
    `${one}/approve`,
    'Approve a return',
    {
      tool: 'confirm',
      ...deciding,
      body: ApproveReturn,
      body_optional: true,
      fails: [...fails, 'restocking_fee_exceeds_refund'],
    },
    async ({ tx, principal, params, body }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const given = (body as typeof body | undefined) ?? {} // the body is optional
      const { refund_shipping = 'none', restocking_fee_minor = 0 } = given
      await approveReturn(tx, key, principal, { refund_shipping, restocking_fee_minor })
      return await showReturn(tx, key)
    },
  ),

  rejectReturn: post(
    `${one}/reject`,
    'Reject a return',
    { ...deciding, ...empty },
    async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await rejectReturn(tx, key, principal)
      return await showReturn(tx, key)
    },
  ),

  receiveReturn: post(
    `${one}/receive`,
    'Receive the goods of a return, and pay them back',
    {
      ...deciding,
      description:
        'The refund is exactly what the buyer paid for these units, less the fee. If the provider counts the currency in larger steps (ten minor units for KWD), the rest below a step is paid with the next return of the order.',
      permission: 'commerce.returns.receive',
      body: ReceiveReturn,
      fails: [...fails, 'return_quantity_exceeded'],
    },
    async ({ tx, principal, params, body }, deps) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await receiveReturn(tx, deps, key, principal, body)
      return await showReturn(tx, key)
    },
  ),

  cancelReturn: post(
    `${one}/cancel`,
    'Cancel your return before the goods are received',
    { ...deciding, ...empty, ...own },
    async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await cancelReturn(tx, key, principal.id)
      return await showReturn(tx, key)
    },
  ),

  retryRefund: post(
    `${one}/retry-refund`,
    'Retry the failed refund of a return',
    { ...deciding, ...empty },
    async ({ tx, principal, params }) => {
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
      return await showReturn(tx, key)
    },
  ),
})
