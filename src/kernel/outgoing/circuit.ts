/**
 * A circuit breaker stops calls to an upstream that mostly fails. Closed: calls pass and are
 * counted over a window. Open: no call passes for `open_ms`. Half open: one probe passes. If the
 * probe succeeds, the circuit closes. If it fails, the circuit opens again, each time for twice as
 * long, up to `open_ms_max`. If the probe is abandoned, the next call becomes the probe. A call
 * that started before the last change of the circuit is not counted.
 */
import { openRollingSum, type Monotonic } from './rolling-sum.ts'

export type CircuitOptions = {
  readonly failure_share: number
  readonly least_calls: number
  readonly window_ms: number
  readonly open_ms: number
  /** The longest open time. Without this value, the circuit always opens for `open_ms`. */
  readonly open_ms_max?: number
  /**
   * This many failures in a row open the circuit, whatever their share is. Null: only the share
   * counts.
   */
  readonly failures_in_row: number | null
}

export type CircuitState = 'closed' | 'open' | 'half_open'

/**
 * The weight of a call's outcome: 0 for success, 1 for failure, or null if the outcome says nothing
 * about the upstream.
 */
export type Weight = number | null

export type Admission = { settle(weight: Weight): void }

export type Circuit = {
  state(): CircuitState
  /**
   * Null means that the call must not be made now. Every admission must be settled exactly once,
   * after any outcome.
   */
  admit(): Admission | null
}

export const circuit_defaults: CircuitOptions = {
  failure_share: 0.5,
  least_calls: 20,
  window_ms: 10_000,
  open_ms: 10_000,
  failures_in_row: null,
}

export function openCircuit(options: CircuitOptions, now: Monotonic): Circuit {
  const sums = openRollingSum<'calls' | 'failures'>(options.window_ms, now)
  let open_until: number | null = null
  let probing = false
  let in_row = 0
  let failed_probes = 0
  let era = 0

  const turn = (until: number | null): void => {
    open_until = until
    probing = false
    in_row = 0
    era++
    sums.clear()
  }
  const openMs = () =>
    Math.min(options.open_ms_max ?? options.open_ms, options.open_ms * 2 ** failed_probes)
  const count = (weight: number): void => {
    sums.add('calls')
    sums.add('failures', weight)
    in_row = weight > 0 ? in_row + weight : 0
    const calls = sums.total('calls')
    const mostly_fails =
      calls >= options.least_calls && sums.total('failures') >= calls * options.failure_share
    const row_fails = options.failures_in_row !== null && in_row >= options.failures_in_row
    if (weight > 0 && (mostly_fails || row_fails)) turn(now() + options.open_ms)
  }
  const state = (): CircuitState => {
    if (open_until === null) return 'closed'
    return now() < open_until ? 'open' : 'half_open'
  }
  return {
    state,
    admit: () => {
      const seen = state()
      if (seen === 'open' || (seen === 'half_open' && probing)) return null
      const is_probe = seen === 'half_open'
      if (is_probe) probing = true
      const admitted_in = era
      let settled = false
      return {
        settle: weight => {
          if (settled || admitted_in !== era) return
          settled = true
          if (!is_probe) return weight === null ? undefined : count(weight)
          if (weight === null) probing = false
          else if (weight > 0) {
            failed_probes++
            turn(now() + openMs())
          } else {
            failed_probes = 0
            turn(null)
          }
        },
      }
    },
  }
}
