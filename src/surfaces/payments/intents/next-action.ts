/**
 * The next step for the buyer. It is fetched from the provider each time, because it is a secret of
 * the buyer.
 */
import type { Deps } from '../deps.ts'
import type { IntentRow } from '../operations/rows.ts'
import type { NextAction } from './intent-view.ts'

/**
 * Null if the provider cannot be reached now, or is not that of the payment any more. The state
 * alone then says that the buyer must act.
 */
export async function nextActionOf(
  { provider }: Deps,
  {
    state,
    provider: name,
    provider_handle,
  }: Pick<IntentRow, 'state' | 'provider' | 'provider_handle'>,
): Promise<NextAction | null> {
  if (state !== 'requires_action' || !provider_handle || name !== provider.name) return null
  try {
    return (await provider.read(provider_handle)).next_action
  } catch {
    return null
  }
}
