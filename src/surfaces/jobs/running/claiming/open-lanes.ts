/**
 * The lanes that one process knows of. A lane is open while it may have ready rows: from the look that
 * named it until a claim from its front finds nothing. Cursors are kept beyond that, so that a lane that
 * opens again is not walked from its front.
 */
import type { TypeRules } from '../rules.ts'
import { openLaneCursors } from './cursors.ts'
import type { Found, LaneCursor } from './lane-cursor.ts'
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

export function openLanes(): OpenLanes {
  const open = new Map<string, OpenLane>()
  const cursors = openLaneCursors()
  const nameOf = ({ rules, tenant_id }: Omit<OpenLane, 'cursor'>) => laneName(rules, tenant_id)
  return {
    all: () => [...open.values()],
    named: (lanes, rulesOf) => {
      for (const lane of lanes) {
        const rules = rulesOf(lane)
        if (!rules) continue
        const name = laneName(rules, lane.tenant_id)
        open.set(name, { rules, tenant_id: lane.tenant_id, cursor: cursors.of(name) })
      }
    },
    found: (lane, said) => {
      if (said === 'empty') open.delete(nameOf(lane))
    },
    leave: lane => void open.delete(nameOf(lane)),
  }
}

export function laneName({ type, schema_version }: TypeRules, tenant_id: string): string {
  return `${type} ${schema_version} ${tenant_id}`
}
