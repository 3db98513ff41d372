/**
 * The lanes that one process knows of. A lane is open while it may have ready rows: from the look that
 * named it until a claim from its front finds nothing. Cursors are kept beyond that, so that a lane that
 * opens again is not walked from its front.
 */
import type { TypeRules } from '../rules.ts'
import { openLaneCursor, type Found, type LaneCursor } from './lane-cursor.ts'
import type { Lane } from './look-for-lanes.ts'

export type OpenLane = {
  readonly rules: TypeRules
  readonly tenant_id: string
  readonly cursor: LaneCursor
}

export type OpenLanes = {
  all(): readonly OpenLane[]
  named(lanes: readonly Lane[], rulesOf: (lane: Lane) => TypeRules | undefined): void
  found(lane: OpenLane, said: Found): void
  /** Not seen again before the next look: others that wait come first. */
  leave(lane: OpenLane): void
}

const cursors_max = 5000

export function openLanes(): OpenLanes {
  const open = new Map<string, OpenLane>()
  const cursors = new Map<string, LaneCursor>()
  const nameOf = (type: string, version: number, tenant_id: string) =>
    `${type} ${version} ${tenant_id}`
  const nameOfOpen = ({ rules, tenant_id }: OpenLane) =>
    nameOf(rules.type, rules.schema_version, tenant_id)
  const cursorOf = (name: string): LaneCursor => {
    const cursor = cursors.get(name) ?? openLaneCursor()
    // A Map keeps the order of insertion: the first is the one that was used longest ago.
    cursors.delete(name)
    cursors.set(name, cursor)
    for (const oldest of cursors.keys()) {
      if (cursors.size <= cursors_max) break
      cursors.delete(oldest)
    }
    return cursor
  }
  return {
    all: () => [...open.values()],
    named: (lanes, rulesOf) => {
      for (const lane of lanes) {
        const name = nameOf(lane.type, lane.schema_version, lane.tenant_id)
        const rules = rulesOf(lane)
        if (!rules) continue
        open.set(name, { rules, tenant_id: lane.tenant_id, cursor: cursorOf(name) })
      }
    },
    found: (lane, said) => {
      if (said === 'empty') open.delete(nameOfOpen(lane))
    },
    leave: lane => void open.delete(nameOfOpen(lane)),
  }
}
