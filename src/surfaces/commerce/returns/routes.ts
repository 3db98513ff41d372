/** Routes of returns. Buyers request returns, and people with the duty of refunds decide. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { etag } from '../../../kernel/http/etag.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply } from '../../../kernel/http/reply.ts'
import { routesOf } from '../../../kernel/http/routes-of.ts'
import { closed, oneOf } from '../../../kernel/http/shapes.ts'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import type { Deps } from '../deps.ts'
import type { Key } from '../schemas.ts'
import { approveReturn, audit, cancelReturn, rejectReturn, requireOther } from './decide-return.ts'
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

async function replyOf(reader: Reader, key: Key) {
  const shown = await showReturn(reader, key)
  return reply(200, shown, { etag: etag(shown.version) })
}

const Listed = Type.Object({
  id: Type.String(),
  view: Type.Unsafe<ReturnView>({ type: 'object' }),
})

const refusals = ['invalid_transition', 'permission_denied']

const { open, create, list, get, post } = routesOf<Deps>({
  read: 'authenticated',
  write: decides,
  absent,
})

export const returnRoutes = open({
  requestReturn: create(
    path,
    'Request a return of goods from your order',
    (deps: Deps) => ({
      permission: 'authenticated',
      rate_tenant: false,
      idempotency: 'required',
      body: RequestReturn,
      inspectBody: body => deps.payments.refuseCardData(body),
      unknown_members: 'refused',
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
      const shown = await showReturn(tx, made)
      const headers = { location: `${path}/${made.id}`, etag: etag(shown.version) }
      return reply(201, shown, headers)
    },
  ),

  listReturns: list(
    path,
    'List your returns, newest first; with a permission those of all buyers',
    {
      rate_tenant: false,
      added: true,
      asks_grants: true,
      filters: { state: Type.Optional(oneOf(...return_states)) },
      item: Return,
    },
    async ({ tx, principal, query: { state = null }, list, grants }) => {
      const of = (await grants()).has(reads) ? null : principal.id
      return await pageOf(tx, {
        scope: list,
        row: Listed,
        place: ['id'],
        view: row => row.view,
        fetch: (after, n) => sql`
          select r.id, commerce.return_view(r.tenant_id, r.id) as view from commerce.returns r
          where r.tenant_id = ${principal.tenant_id}
            ${of === null ? sql.empty : sql`and r.buyer_id = ${of}`}
            ${state === null ? sql.empty : sql`and r.state = ${state}`}
            and (${after.id}::uuid is null or r.id < ${after.id}::uuid)
          order by r.id desc limit ${n}`,
      })
    },
  ),

  getReturn: get(
    one,
    'A return with its refund',
    {
      rate_tenant: false,
      added: true,
      asks_grants: true,
      reply: Return,
    },
    async ({ tx, principal, params, grants }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const { buyer_id } = await findReturn(tx, key)
      const own = buyer_id === principal.id
      if (!own && !(await grants()).has(reads)) throw problem(absent)
      return await replyOf(tx, key)
    },
  ),

  approveReturn: post(
    `${one}/approve`,
    'Approve a return',
    {
      added: true,
      unknown_members: 'refused',
      idempotency: 'required',
      reply: Return,
      body: ApproveReturn,
      body_optional: true,
      fails: [...refusals, 'restocking_fee_exceeds_refund'],
    },
    async ({ tx, principal, params, body }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      const given = (body as typeof body | undefined) ?? {} // the body is optional
      const { refund_shipping = 'none', restocking_fee_minor = 0 } = given
      await approveReturn(tx, key, principal, { refund_shipping, restocking_fee_minor })
      return await replyOf(tx, key)
    },
  ),

  rejectReturn: post(
    `${one}/reject`,
    'Reject a return',
    {
      added: true,
      unknown_members: 'refused',
      idempotency: 'required',
      reply: Return,
      fails: ['invalid_transition', 'permission_denied'],
      body: closed({}),
      body_optional: true,
    },
    async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await rejectReturn(tx, key, principal)
      return await replyOf(tx, key)
    },
  ),

  receiveReturn: post(
    `${one}/receive`,
    'Receive the goods of a return, and pay them back',
    {
      added: true,
      unknown_members: 'refused',
      idempotency: 'required',
      reply: Return,
      description:
        'The refund is exactly what the buyer paid for these units, less the fee. If the provider counts the currency in larger steps (ten minor units for KWD), the rest below a step is paid with the next return of the order.',
      permission: 'commerce.returns.receive',
      body: ReceiveReturn,
      fails: [...refusals, 'return_quantity_exceeded'],
    },
    async ({ tx, principal, params, body }, deps) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await receiveReturn(tx, deps, key, principal, body)
      return await replyOf(tx, key)
    },
  ),

  cancelReturn: post(
    `${one}/cancel`,
    'Cancel your return before the goods are received',
    {
      added: true,
      unknown_members: 'refused',
      idempotency: 'required',
      reply: Return,
      fails: ['invalid_transition', 'permission_denied'],
      permission: 'authenticated',
      rate_tenant: false,
      body: closed({}),
      body_optional: true,
    },
    async ({ tx, principal, params }) => {
      const key = { tenant_id: principal.tenant_id, id: params.return_id }
      await cancelReturn(tx, key, principal.id)
      return await replyOf(tx, key)
    },
  ),

  retryRefund: post(
    `${one}/retry-refund`,
    'Retry the failed refund of a return',
    {
      added: true,
      unknown_members: 'refused',
      idempotency: 'required',
      reply: Return,
      fails: ['invalid_transition', 'permission_denied'],
      body: closed({}),
      body_optional: true,
    },
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
      audit(tx, principal, 'retry_refund', found)
      return await replyOf(tx, key)
    },
  ),
})
