/** What the buyer has to do next: it is fetched each time, because it is a secret of the buyer's. */
import type { Deps } from '../deps.ts'
import type { IntentRow } from '../operations/rows.ts'
import type { NextAction } from './intent-view.ts'

/** Null where the provider cannot be asked now: the state alone says that the buyer must act. */
export async function nextActionOf(
  { provider }: Deps,
  { provider_handle }: Pick<IntentRow, 'provider_handle'>,
): Promise<NextAction | null> {
  if (!provider_handle) return null
  try {
    return (await provider.read(provider_handle)).next_action
  } catch {
    return null
  }
}
