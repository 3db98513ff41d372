/**
 * The next step for the buyer. It is fetched from the provider each time, because it is a secret of
 * the buyer.
 */
import type { Deps } from '../deps.ts'
import type { Snapshot } from '../provider/port.ts'
import type { IntentRow } from '../operations/rows.ts'
import type { NextStep } from './intent-view.ts'

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
): Promise<NextStep | null> {
  if (state !== 'requires_action' || !provider_handle || name !== provider.name) return null
  try {
    return stepOf((await provider.read(provider_handle)).next_action)
  } catch {
    return null
  }
}

export function stepOf(action: Snapshot['next_action']): NextStep | null {
  return (
    action && { type: action.type, url: action.url, client_secret: action.client_secret ?? null }
  )
}

export const nothing_to_do: NextStep = { type: 'none', url: null, client_secret: null }
