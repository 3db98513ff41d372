/**
 * Begins a cancellation. If nothing was ever sent to the provider, the cancellation ends in this
 * transaction.
 */
import type { RequestKey, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { cancelLocally } from '../operations/apply-provider-state.ts'
import { beginOperation, lockMovable, requireProvider } from '../operations/begin-operation.ts'

export type CancelAsked = {
  readonly operation_id: string
  readonly tenant_id: string
  readonly intent_id: string
  readonly reason: string
  readonly principal_id: string | null
  readonly key: RequestKey | null
  readonly managed: boolean
  /** The resolver makes the first attempt, because no caller waits for it. */
  readonly by_resolver?: boolean
}

/** Whether the provider must be called. */
export async function beginCancel(tx: Tx, deps: Deps, asked: CancelAsked): Promise<boolean> {
  const { tenant_id, intent_id, reason } = asked
  const key = { tenant_id, id: intent_id }
  const intent = await lockMovable(tx, key, asked.managed)
  if (intent.state === 'captured') {
    throw problem('invalid_transition', {
      current_state: intent.state,
      detail: 'A captured payment cannot be cancelled. Refund it.',
    })
  }
  const begun = { ...asked, type: 'cancel', amount_minor: intent.amount_authorized_minor } as const
  if (intent.state === 'cancelled') {
    await beginOperation(tx, deps, { ...begun, sends: false })
    return false
  }
  const at_provider = intent.provider_handle !== null
  if (at_provider) requireProvider(deps, intent, asked)
  await beginOperation(tx, deps, begun)
  if (!at_provider) await cancelLocally(tx, deps, key, reason)
  return at_provider
}
