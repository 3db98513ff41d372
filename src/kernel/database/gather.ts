/**
 * Groups calls that arrive together into batches. A limited number of batches runs at the same
 * time. Calls that arrive while these batches run share the next batch. A single caller does not
 * wait for other calls. The more callers there are, the larger the batches become. If a batch
 * fails, its items run again one by one, so that only the faulty item fails.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusy, isUnavailable } from './failures.ts'

export type Gathering<T> = {
  readonly flights_max: number
  readonly items_max: number
  /** How many of the waiting items fit into the next batch. At least one. */
  fit?(waiting: readonly { readonly item: T }[]): number
  /** The caller of an item that waits longer than this has already received an error. */
  readonly patience_ms?: number
  /** The time from a batch to the next. Under load it makes the batches larger and fewer. */
  readonly rest_ms?: number
}

type Waiting<T, R> = {
  readonly item: T
  readonly until_ms: number
  resolve(result: R): void
  reject(error: unknown): void
}

/** `run` returns a result for each item, in their order. */
export function gather<T, R>(
  { flights_max, items_max, fit, patience_ms = Infinity, rest_ms = 0 }: Gathering<T>,
  run: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = []
  let flights = 0
  const fly = async () => {
    while (waiting.length > 0) {
      const many = Math.min(items_max, fit?.(waiting) ?? items_max)
      await flyTogether(waiting.splice(0, many), run)
      if (rest_ms > 0 && waiting.length < items_max) await wait(rest_ms)
    }
    flights--
  }
  return item => {
    const now = performance.now()
    // Rejects calls that have waited too long. So the queue stays short, even if the database is
    // unavailable for hours.
    while (waiting[0] && waiting[0].until_ms < now) waiting.shift()?.reject(new DatabaseBusy())
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    waiting.push({ item, until_ms: now + patience_ms, resolve, reject })
    if (flights < flights_max) {
      flights++
      // The batch starts at the end of this turn of the event loop. So it includes all calls that
      // the network delivered in the same turn.
      setImmediate(() => void fly())
    }
    return promise
  }
}

async function flyTogether<T, R>(
  all: readonly Waiting<T, R>[],
  run: (items: readonly T[]) => Promise<readonly R[]>,
): Promise<void> {
  try {
    const results = await run(all.map(one => one.item))
    if (results.length !== all.length) throw new Error('a flight must answer for each item')
    for (const [index, one] of all.entries()) one.resolve(results[index] as R) // the array has as many items
  } catch (error) {
    if (all.length === 1 || isUnavailable(error)) for (const one of all) one.reject(error)
    else for (const one of all) await flyTogether([one], run)
  }
}
