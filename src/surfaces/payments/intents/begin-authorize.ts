/**
 * Begins an authorization. A payment has at most one at a time, and one caller may have only a few
 * declines.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { RequestKey } from '../../../kernel/http/route.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { beginOperation, lockMovable } from '../operations/begin-operation.ts'
import { createIntent } from './create-intent.ts'

export type Authorization = {
  readonly operation_id: string
  readonly tenant_id: string
  readonly intent_id: string
  readonly payment_method: string
  readonly return_url: string | null
  /** The payer: the caller, or the buyer of an order. */
  readonly principal_id: string | null
  readonly key: RequestKey | null
  readonly managed: boolean
}

export async function beginAuthorize(tx: Tx, deps: Deps, asked: Authorization): Promise<void> {
  const { tenant_id, intent_id, principal_id } = asked
  if (principal_id) await refuseTesting(tx, deps, tenant_id, principal_id)
  const intent = await lockMovable(tx, { tenant_id, id: intent_id }, asked.managed)
  if (intent.state !== 'requires_authorization') {
    throw problem('invalid_transition', {
      current_state: intent.state,
      detail: 'Only a payment in requires_authorization can be authorized.',
    })
  }
  if (!deps.provider.accepting()) throw problem('payment_provider_unavailable')
  await beginOperation(tx, deps, {
    ...asked,
    type: 'authorize',
    amount_minor: intent.amount_minor,
  })
}

/** Creates the payment of an order and begins its authorization, with all statements sent together. */
export async function beginForOrder(
  tx: Tx,
  deps: Deps,
  asked: Omit<Authorization, 'intent_id' | 'principal_id' | 'key' | 'managed'> & {
    readonly buyer_id: string | null
    readonly order_ref: string
    readonly amount_minor: number
    readonly currency: string
  },
): Promise<void> {
  if (!deps.provider.accepting()) throw problem('payment_provider_unavailable')
  const { tenant_id, buyer_id: principal_id, order_ref, amount_minor, currency, ...rest } = asked
  const id = newId()
  const maker = { tenant_id, principal_id, key: null, managed: true, id }
  await Promise.all([
    createIntent(tx, deps, { amount_minor, currency, order_ref }, maker),
    principal_id === null || refuseTesting(tx, deps, tenant_id, principal_id),
    beginOperation(tx, deps, {
      ...rest,
      tenant_id,
      intent_id: id,
      type: 'authorize',
      principal_id,
      key: null,
      amount_minor,
    }),
  ])
}

const Declines = Type.Object({ declines: Type.Integer() })
const hour_seconds = 3600

/** Thieves try stolen cards by the hundred. So a caller with many declines must wait. */
async function refuseTesting(tx: Tx, { kernel }: Deps, tenant_id: string, principal_id: string) {
  const most = kernel.settings['payments.declines_per_hour']
  const { declines } = await tx.one(
    Declines,
    sql`
      select count(*)::int as declines from (
        select 1 from payments.payment_operations
        where tenant_id = ${tenant_id} and principal_id = ${principal_id}
          and declined
          and resolved_at > kernel.now() - make_interval(secs => ${hour_seconds})
        limit ${most}) declined`,
  )
  if (declines < most) return
  throw problem('rate_limited', {
    detail: `${most} payments were declined within an hour. Wait before you try another card.`,
    retry_after: hour_seconds,
    headers: { 'retry-after': String(hour_seconds) },
  })
}
