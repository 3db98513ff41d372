/** The provider that gets a message now. */
import type { Offered } from '../providers/providers.ts'
import type { Claimed } from './claim.ts'

/**
 * The provider that the attempt names, or else one that follows it. A message that a provider may
 * already have is given to no other one, also if the settings no longer have that provider.
 * Undefined if no provider accepts it now.
 */
export function choose(
  offered: readonly Offered[],
  { provider, pinned }: Pick<Claimed, 'provider' | 'pinned'>,
) {
  const named = offered.findIndex(one => one.provider.name === provider)
  if (pinned && named < 0) return undefined
  const from = Math.max(0, named)
  for (const one of offered.slice(from, pinned ? from + 1 : offered.length)) {
    const admission = one.breaker.admit()
    if (admission) return { ...one, admission }
  }
  return undefined
}
