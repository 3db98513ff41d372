/**
 * The next step for the buyer. It is fetched from the provider each time, because it is a secret of
 * the buyer.
 */
import { atAccount, type Deps } from '../deps.ts'
import type { Snapshot } from '../provider/port.ts'
import type { IntentRow } from '../operations/rows.ts'
import type { NextStep } from './intent-view.ts'

/**
 * Null if the provider cannot be reached now, or the platform has it no more. The state
 * alone then says that the buyer must act.
 */
export async function nextActionOf(
  deps: Deps,
  { state, provider, provider_handle }: Pick<IntentRow, 'state' | 'provider' | 'provider_handle'>,
): Promise<NextStep | null> {
  if (state !== 'requires_action' || !provider_handle) return null
  try {
    const at = await atAccount(deps, provider)
    return at ? stepOf((await at.provider.read(provider_handle)).next_action) : null
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
