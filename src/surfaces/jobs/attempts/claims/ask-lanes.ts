/**
 * Computes what a claim requests from each known lane (how many jobs, and from which position), and
 * updates the lane with the result.
 */
import type { TypeRules } from '../rules.ts'
import type { Taken } from './claim-jobs.ts'
import type { LaneQuota } from './claim-statement.ts'
import type { Claim, Found } from './lane-cursor.ts'
import type { OpenLane } from './open-lanes.ts'
import { shareOut, type Turns } from './share-out.ts'
import type { RunningCounts } from './running-counts.ts'

export type Asked = LaneQuota & { readonly lane: OpenLane; readonly claim: Claim }

export type Sharing = {
  readonly runningCounts: RunningCounts
  readonly turns: Turns
  readonly tenant_limit: number
  /** A monotonic time. */
  now(): number
}

export function askLanes(known: readonly OpenLane[], free: number, sharing: Sharing): Asked[] {
  const { runningCounts, turns, tenant_limit, now } = sharing
  const open = known.filter(isFirstOfItsCap())
  const rooms = open.map(({ rules, tenant_id }) => ({
    tenant_id,
    room: rules.tenant_max_running ?? Number.POSITIVE_INFINITY,
  }))
  const quotas = shareOut(rooms, free, tenant_limit, id => ({
    running: runningCounts.running(id),
    turn: turns.of(id),
  }))
  return open.flatMap((lane, at) => {
    const quota = quotas[at] ?? 0
    if (quota === 0) return []
    const claim = lane.cursor.next(now())
    const { rules, tenant_id } = lane
    return [{ lane, claim, quota, rules, tenant_id, stretches: claim.stretches }]
  })
}

/** A cap counts all versions of a type, so only one version of a type is claimed at a time. */
function isFirstOfItsCap(): (lane: { rules: TypeRules; tenant_id: string }) => boolean {
  const seen = new Set<string>()
  return ({ rules, tenant_id }) => {
    if (rules.tenant_max_running === null) return true
    const name = `${rules.type} ${tenant_id}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  }
}

/** Updates cursors and turns with the result of the claim. Returns the result for each lane. */
export function learn(
  { turns, now }: Sharing,
  asked: readonly Asked[],
  taken: readonly Taken[],
): readonly Found[] {
  const own = asked.map((): Taken[] => [])
  for (const one of taken) own[one.lane]?.push(one)
  const served = new Map<string, number>()
  const found = asked.map(({ lane, claim, quota }, at) => {
    const rows = own[at] ?? []
    served.set(lane.tenant_id, (served.get(lane.tenant_id) ?? 0) + rows.length)
    return lane.cursor.took(claim, rows, quota, now())
  })
  turns.served(served)
  return found
}
