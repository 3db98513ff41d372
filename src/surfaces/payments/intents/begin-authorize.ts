/**
 * Begins an authorization. A payment has at most one at a time, and one caller may have only a few
 * declines.
 */
import { newId, type RequestKey, type Tx } from '#dodeca/kernel'
import { requireAccount } from '../accounts/require-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { beginOperation, lockMovable, requireProvider } from '../operations/begin-operation.ts'
import { chooseMethod, needsMethods, type Wish } from '../methods/choose-method.ts'
import { leavePlace, takePlace } from '../operations/limit-declines.ts'
import { createIntent } from './create-intent.ts'

export type Authorization = Wish & {
  readonly operation_id: string
  readonly tenant_id: string
  readonly intent_id: string
  readonly return_url: string | null
  /** The payer: the caller, or the buyer of an order. */
  readonly principal_id: string | null
  readonly key: RequestKey | null
  readonly managed: boolean
  /** The resolver makes the first attempt, because no caller waits for it. */
  readonly by_resolver?: boolean
}

export async function beginAuthorize(tx: Tx, deps: Deps, asked: Authorization): Promise<void> {
  const { tenant_id, intent_id, principal_id } = asked
  const has_place = await takePlace(tx, deps, { tenant_id, principal_id })
  const intent = await lockMovable(tx, { tenant_id, id: intent_id }, asked.managed)
  if (intent.state !== 'requires_authorization') {
    throw problem('invalid_transition', {
      current_state: intent.state,
      detail: 'Only a payment in requires_authorization can be authorized.',
    })
  }
  requireProvider(deps, intent, asked)
  await requireAccount(tx, intent, 'active')
  const plain = intent.customer_id === null && !needsMethods(asked)
  const chosen = plain ? {} : await chooseMethod(tx, deps, intent, asked)
  await beginOperation(tx, deps, {
    ...asked,
    ...chosen,
    type: 'authorize',
    amount_minor: intent.amount_minor,
  })
  if (!has_place) await leavePlace(tx, { tenant_id, id: asked.operation_id })
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
    readonly account: string | null
  },
): Promise<void> {
  const { tenant_id, buyer_id: principal_id, order_ref, account, ...rest } = asked
  const { amount_minor, currency } = rest
  const id = newId()
  const maker = { tenant_id, principal_id, key: null, managed: true, id }
  const payment = { amount_minor, currency, order_ref, ...(account !== null && { at: account }) }
  if (needsMethods(asked)) {
    await createIntent(tx, deps, payment, maker)
    return await beginAuthorize(tx, deps, {
      ...asked,
      intent_id: id,
      principal_id,
      payer: principal_id,
      key: null,
      managed: true,
    })
  }
  const [has_place, made] = await Promise.all([
    takePlace(tx, deps, { tenant_id, principal_id }),
    createIntent(tx, deps, payment, maker),
    beginOperation(tx, deps, {
      ...rest,
      tenant_id,
      intent_id: id,
      type: 'authorize',
      principal_id,
      key: null,
    }),
  ])
  requireProvider(deps, made, {})
  await requireAccount(tx, { tenant_id, ...made }, 'active')
  if (!has_place) await leavePlace(tx, { tenant_id, id: rest.operation_id })
}
