/** Routes that request, list and show refunds. */
import { Type, type Static } from 'typebox'
import {
  Amount,
  equal,
  exact,
  Id,
  nullable,
  oneOf,
  Problem,
  reply,
  routesOf,
  sql,
  Time,
  type Tx,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { refuseCardData } from '../intents/card-data.ts'
import { findByKey, leaseSeconds } from '../operations/begin-operation.ts'
import { perform, type Certain } from '../operations/perform.ts'
import { settleOperation } from '../operations/settle-operation.ts'
import { CreateRefund } from '../schemas.ts'
import { RefundRow, refundColumns } from './apply-refund.ts'
import { partRefusals } from '../money/read-amount.ts'
import { findRefund } from './find-refund.ts'
import { requestRefund } from './request-refund.ts'

const Short = Type.String({ maxLength: 255 })

const states = ['pending', 'succeeded', 'failed'] as const
const summary = {
  id: Id,
  intent_id: Id,
  operation_id: Id,
  amount_minor: Amount,
  currency: Type.String({ minLength: 3, maxLength: 3 }),
  state: oneOf(...states),
  reason: Short,
  failure_code: nullable(Short),
  created_at: Time,
}
const RefundSummary = Type.Object(summary, { title: 'RefundSummary' })
const Refund = Type.Object(
  { ...summary, status: Type.Optional(oneOf('pending')) },
  { title: 'Refund' },
)

const path = '/v1/refunds'

const { open, create, get, list } = routesOf<Deps>({
  absent: 'refund_not_found',
  read: 'payments.refunds.read',
})

export const refundRoutes = open({
  createRefund: create(
    path,
    'Refund a captured payment, in full or in part',
    ({ kernel }: Deps) => ({
      tool: 'confirm',
      description:
        'If the provider has not confirmed the refund yet, the reply is 202 with the state `pending`. With the ETag of the payment as `If-Match`, nothing is refunded if the payment has changed since it was read, for example because another person has refunded a part.',
      permission: 'payments.refunds.create',
      idempotency: 'required',
      lease_seconds: leaseSeconds(kernel.settings['payments.provider_timeout_ms']),
      body: CreateRefund,
      inspectBody: refuseCardData,
      replies: { 201: Refund, 202: Refund },
      fails: [
        'payment_intent_not_found',
        'precondition_failed',
        'intent_not_captured',
        'refund_exceeds_captured',
        ...partRefusals,
        'balance_insufficient',
        'payment_account_closed',
        'payment_refused',
        'card_data_refused',
        'payment_provider_unavailable',
      ],
    }),
    {
      operation: {
        begin: async ({ tx, operation_id, principal, body, key, if_match }, deps) => {
          const { tenant_id, id: principal_id } = principal
          const known = key && (await findByKey(tx, tenant_id, principal_id, 'refund', key))
          if (known) {
            const answer = replyOf(await findRefund(tx, tenant_id, { operation_id: known.id }))
            if (answer instanceof Problem) throw answer
            return answer
          }
          const { reason } = body
          const id = await requestRefund(tx, deps, {
            operation_id,
            tenant_id,
            intent_id: body.intent_id,
            amount_minor: body.amount_minor ?? null,
            amount: body.amount,
            reason: reason ?? 'other',
            note: body.note ?? null,
            principal_id,
            key,
            if_match,
          })
          tx.audit('payments.refunds.create', `refund:${id}`, { reason })
          return undefined
        },
        call: (operation_id, attempt, _signal, _context, deps) =>
          perform(deps, operation_id, attempt),
        finish,
      },
    },
  ),

  listRefunds: list(path, 'List refunds, newest first', {
    tool: 'read',
    added: true,
    from: 'payments.refunds',
    row: RefundSummary,
    time: 'id',
    filters: { state: equal(oneOf(...states)), intent_id: equal(Id) },
    find: [exact('provider_refund_id')],
  }),

  getRefund: get(
    `${path}/{id}`,
    'A refund',
    { tool: 'read', reply: Refund },
    async ({ tx, params: { id }, principal: { tenant_id } }) =>
      viewOf(await findRefund(tx, tenant_id, { id })),
  ),
})

async function finish(tx: Tx, operation_id: string, outcome: Certain, deps: Deps) {
  await settleOperation(tx, deps, operation_id, outcome)
  await deps.kernel.fault('payments.in_apply')
  const refund = await tx.one(
    RefundRow,
    sql`
      -- any tenant: the operation's own id
      select ${refundColumns} from payments.refunds r
      join payments.payment_operations o
        on o.tenant_id = r.tenant_id and o.id = r.operation_id
      where o.id = ${operation_id}`,
  )
  return refund.state === 'failed' ? refusalOf(refund) : replyOf(refund)
}

function replyOf(refund: RefundRow) {
  const view = viewOf(refund)
  if (refund.provider_refund_id) return reply(201, view)
  if (refund.state === 'failed') return refusalOf(refund)
  return reply(202, { ...view, status: 'pending' as const }, { 'retry-after': '2' })
}

function refusalOf({ id, operation_id, failure_code }: RefundRow): Problem {
  const code = failure_code ?? 'refund_failed'
  return problem('payment_refused', {
    detail: `The provider refuses the refund (${code}). The money stays with you.`,
    more: { operation_id, error_code: code, refund_id: id },
  })
}

function viewOf(row: RefundRow): Static<typeof RefundSummary> {
  const { tenant_id: _tenant, provider_refund_id: _provider, accepted: _accepted, ...view } = row
  return view
}
