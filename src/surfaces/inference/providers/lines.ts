/**
 * The lines of one provider. Each is opened at its first use, and again after its address has
 * changed.
 */
import type { Auth } from './auth.ts'
import type { Limits } from './call.ts'
import { openLine, type Line } from './line.ts'
import type { AddressRules } from './own-hosts.ts'
import type { Health } from './provider.ts'

export type Connection = {
  readonly base_url: string
  readonly auth: Auth
  readonly addresses?: Pick<AddressRules, 'check'>
}

export type Lines = {
  lineFor(model: string): Promise<Line>
  health(model: string): Health
  readonly limits: Limits
  readonly nowMs: () => number
  close(): Promise<void>
}

export type LinesOptions = {
  readonly name: string
  readonly limits: Limits
  readonly breaker_open_ms: number
  nowMs(): number
  /** The current address of the provider. Throws a ProviderFailure if it cannot be reached. */
  connection(): Connection | Promise<Connection>
}

export function openLines({
  name,
  limits,
  breaker_open_ms,
  nowMs,
  connection,
}: LinesOptions): Lines {
  const open = new Map<string, { readonly at: Connection; readonly line: Line }>()
  return {
    limits,
    nowMs,
    lineFor: async model => {
      const at = await connection()
      const known = open.get(model)
      if (known && isSame(known.at, at)) return known.line
      const line = openLine({ name: `${name}/${model}`, ...at, limits, breaker_open_ms })
      open.set(model, { at, line })
      await known?.line.close()
      return line
    },
    health: model => {
      const state = open.get(model)?.line.circuit() ?? 'closed'
      return ({ closed: 'ok', half_open: 'degraded', open: 'open' } as const)[state]
    },
    close: async () => {
      await Promise.all([...open.values()].map(one => one.line.close()))
      open.clear()
    },
  }
}

function isSame(one: Connection, other: Connection): boolean {
  if (one === other) return true
  return one.base_url === other.base_url && JSON.stringify(one.auth) === JSON.stringify(other.auth)
}
