/**
 * The lanes that one process knows. A lane is open while it may have ready rows: from the scan that
 * returned it until a claim from its front finds none. The lanes that closed last are kept. After a
 * wake-up they are claimed from immediately, without waiting for a scan. Cursors are kept even
 * longer.
 */
import type { TypeRules } from '../rules.ts'
import { openLaneCursors, type Found, type LaneCursor } from './lane-cursor.ts'
import type { Lane } from './find-lanes.ts'

export type OpenLane = {
  readonly rules: TypeRules
  readonly tenant_id: string
  readonly cursor: LaneCursor
}

export type OpenLanes = {
  all(): readonly OpenLane[]
  named(lanes: readonly Lane[], rulesOf: (lane: Lane) => TypeRules | undefined): void
  found(lane: OpenLane, said: Found): void
  /**
   * These are not claimed from again before the next scan, so that other waiting lanes come first.
   */
  leave(lane: OpenLane): void
  /** The lanes that closed last may have ready rows again. */
  reopen(): void
}

const recent_max = 8

export function openLanes(): OpenLanes {
  const open = new Map<string, OpenLane>()
  const cursors = openLaneCursors()
  let recent: readonly OpenLane[] = []
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
      if (said !== 'empty') return
      open.delete(nameOf(lane))
      recent = [lane, ...recent.filter(one => nameOf(one) !== nameOf(lane))].slice(0, recent_max)
    },
    leave: lane => void open.delete(nameOf(lane)),
    reopen: () => {
      for (const lane of recent) open.set(nameOf(lane), lane)
      recent = []
    },
  }
}

export function laneName({ type, schema_version }: TypeRules, tenant_id: string): string {
  return `${type} ${schema_version} ${tenant_id}`
}
