/**
 * The next step for the buyer. It is fetched from the provider each time, because it is a secret of
 * the buyer.
 */
import type { Deps } from '../deps.ts'
import type { IntentRow } from '../operations/rows.ts'
import type { NextAction } from './intent-view.ts'

/**
 * Null if the provider cannot be reached now. The state alone then says that the buyer must act.
 */
export async function nextActionOf(
  { provider }: Deps,
  { state, provider_handle }: Pick<IntentRow, 'state' | 'provider_handle'>,
): Promise<NextAction | null> {
  if (state !== 'requires_action' || !provider_handle) return null
  try {
    return (await provider.read(provider_handle)).next_action
  } catch {
    return null
  }
}
