/**
 * The gate in front of the provider. It limits the rate of reads and of writes and the number of
 * running requests, and has a circuit breaker. A call that the gate refuses was not sent.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { circuit_defaults, openCircuit } from '#dodeca/kernel'
import { breaker_open } from '../deps.ts'
import { ProviderFailure } from './port.ts'

export type Gate = {
  pass<T>(kind: 'read' | 'write', call: () => Promise<T>): Promise<T>
  open(): boolean
  /** Called when the provider works again after the breaker was open. */
  onRecovered(run: () => void): void
}

export type GateOptions = {
  readonly reads_per_second: number
  readonly writes_per_second: number
  readonly concurrency: number
  readonly open_ms: number
}

export function openGate(options: GateOptions): Gate {
  const now = () => performance.now()
  const circuit = openCircuit({ ...circuit_defaults, open_ms: options.open_ms }, now)
  const step_ms = { read: 1000 / options.reads_per_second, write: 1000 / options.writes_per_second }
  const next = { read: 0, write: 0 }
  const waiting: (() => void)[] = []
  const listeners: (() => void)[] = []
  let under_way = 0

  /** Each call waits for its own turn. A short burst passes immediately. */
  const paced = async (kind: 'read' | 'write') => {
    const burst_ms = Math.min(1000, step_ms[kind] * 8)
    const at = Math.max(next[kind], now() - burst_ms)
    next[kind] = at + step_ms[kind]
    const wait = at - now()
    if (wait > 0) await pause(wait)
  }
  const place = async () => {
    if (under_way >= options.concurrency) {
      await new Promise<void>(resolve => waiting.push(resolve))
    } else under_way++
  }
  const leave = () => {
    const next_waiting = waiting.shift()
    if (next_waiting) next_waiting()
    else under_way--
  }

  return {
    open: () => circuit.state() === 'open',
    onRecovered: run => void listeners.push(run),
    pass: async (kind, call) => {
      const before = circuit.state()
      const admission = circuit.admit()
      if (!admission) throw new ProviderFailure('not_sent', breaker_open)
      try {
        await paced(kind)
        await place()
        try {
          const answer = await call()
          admission.settle(0)
          if (before === 'half_open') for (const run of listeners) run()
          return answer
        } finally {
          leave()
        }
      } catch (error) {
        admission.settle(weightOf(error))
        throw error
      }
    },
  }
}

/**
 * A decline means that the provider works. A call counts as a failure only if its outcome is in
 * doubt, or if it was not sent or was rejected unread.
 */
function weightOf(error: unknown): number | null {
  if (!(error instanceof ProviderFailure)) return null
  return error.kind === 'doubt' || error.kind === 'not_sent' ? 1 : 0
}
