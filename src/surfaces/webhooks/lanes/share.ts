/**
 * Decides how many requests each lane may start now. Lanes take turns of eight requests. The lane
 * that was served longest ago is first, so that no backlog delays other lanes. Slow lanes share a
 * separate limit (a bulkhead), and no tenant gets more than half.
 */
import type { Lane } from './lane.ts'

export type Room = {
  readonly in_flight: number
  readonly in_flight_slow: number
}

export type Share = { readonly lane: Lane; many: number }

const quantum = 8

/**
 * Running requests by bulkhead and by tenant. A lane that becomes slow moves to the other bulkhead.
 */
export type Load = {
  fast: number
  slow: number
  readonly tenants: Map<string, number>
}

export function loadOf(lanes: Iterable<Lane>, now_ms: number): Load {
  const load: Load = { fast: 0, slow: 0, tenants: new Map() }
  for (const lane of lanes) {
    if (lane.in_flight === 0) continue
    if (lane.isSlow(now_ms)) load.slow += lane.in_flight
    else load.fast += lane.in_flight
    load.tenants.set(lane.tenant_id, (load.tenants.get(lane.tenant_id) ?? 0) + lane.in_flight)
  }
  return load
}

/**
 * Takes at most `most` requests in total from the lanes in `ready`. Lanes that get requests move to
 * the end of `ready`. Lanes whose gate is closed move to `shut`.
 */
export function shareOut(
  ready: Set<Lane>,
  load: Load,
  room: Room,
  most: number,
  now_ms: number,
  shut: (lane: Lane) => void,
): Share[] {
  const shares = new Map<Lane, Share>()
  const tenant_max = Math.max(1, Math.floor(room.in_flight / 2))
  let left = most
  for (let served = true; served && left > 0;) {
    served = false
    for (const lane of Array.from(ready)) {
      if (left === 0) break
      const many = Math.min(quantum, left, roomFor(lane, load, room, tenant_max, now_ms))
      if (many <= 0) {
        if (lane.room(now_ms) <= 0) shut(lane)
        continue
      }
      give(lane, many, load, now_ms)
      const share = shares.get(lane)
      if (share) share.many += many
      else shares.set(lane, { lane, many })
      left -= many
      served = true
      ready.delete(lane)
      ready.add(lane)
    }
  }
  return [...shares.values()]
}

function roomFor(lane: Lane, load: Load, room: Room, tenant_max: number, now_ms: number): number {
  // Hanging requests above the limit of the slow lanes do not reduce the capacity of the fast ones.
  const bulkhead = lane.isSlow(now_ms)
    ? Math.min(room.in_flight_slow - load.slow, room.in_flight - load.fast - load.slow)
    : room.in_flight - Math.min(load.slow, room.in_flight_slow) - load.fast
  const tenant = tenant_max - (load.tenants.get(lane.tenant_id) ?? 0)
  return Math.min(lane.room(now_ms), bulkhead, tenant)
}

function give(lane: Lane, many: number, load: Load, now_ms: number): void {
  if (lane.isSlow(now_ms)) load.slow += many
  else load.fast += many
  load.tenants.set(lane.tenant_id, (load.tenants.get(lane.tenant_id) ?? 0) + many)
  lane.reserve(many)
}
