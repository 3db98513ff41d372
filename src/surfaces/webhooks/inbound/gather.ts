/**
 * Does together what comes together. So many flights are under way at most, and what is asked for
 * meanwhile shares the next one: whoever comes alone waits for nobody, and the more come, the more share
 * one. A flight that fails is flown again one by one, so that what cannot be done fails alone.
 */
import { DatabaseBusy, isUnavailable } from '../../../kernel/database/failures.ts'

export type Gathering<T> = {
  readonly flights_max: number
  /** Whoever waits longer has been answered already. */
  readonly patience_ms: number
  /** How many of those that wait may go together; at least one. */
  fit(waiting: readonly { readonly item: T }[]): number
}

type Waiting<T, R> = {
  readonly item: T
  readonly until_ms: number
  resolve(result: R): void
  reject(error: unknown): void
}

/** `run` answers for each item, in their order. */
export function gather<T, R>(
  { flights_max, patience_ms, fit }: Gathering<T>,
  run: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = []
  let flights = 0
  const fly = async () => {
    while (waiting.length > 0) await flyTogether(waiting.splice(0, fit(waiting)), run)
    flights--
  }
  return item => {
    const now = performance.now()
    // However long the database does not answer, no more wait than came within that time.
    while (waiting[0] && waiting[0].until_ms < now) waiting.shift()?.reject(new DatabaseBusy())
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    waiting.push({ item, until_ms: now + patience_ms, resolve, reject })
    if (flights < flights_max) {
      flights++
      // What the network brought in the same turn comes along.
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
    for (const [index, one] of all.entries()) one.resolve(results[index] as R) // there are as many
  } catch (error) {
    if (all.length === 1 || isUnavailable(error)) for (const one of all) one.reject(error)
    else for (const one of all) await flyTogether([one], run)
  }
}
