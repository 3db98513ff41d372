/** Why a job does not run: the first reason that holds, from what it waits for itself to whose turn it is. */
import type { WaitingReason } from '../schemas.ts'

export type WaitingFacts = {
  readonly queued: boolean
  /** Null where it is ready; `infinity` while it waits for other jobs. */
  readonly wake_at: string | null
  /** It waits for another time than the one that was asked for. */
  readonly backing_off: boolean
  readonly paused: boolean
  readonly capable: boolean
  readonly tenant_running: number
  readonly tenant_limit: number
  readonly type_running: number
  readonly type_limit: number | null
}

export function waitingReason(facts: WaitingFacts): WaitingReason | null {
  if (!facts.queued) return null
  if (facts.wake_at === 'infinity') return 'dependencies'
  if (facts.wake_at !== null) return facts.backing_off ? 'backoff' : 'schedule'
  if (facts.paused) return 'type_paused'
  if (!facts.capable) return 'no_capable_worker'
  const type_full = facts.type_limit !== null && facts.type_running >= facts.type_limit
  if (type_full || facts.tenant_running >= facts.tenant_limit) return 'tenant_limit'
  return 'fair_share'
}
