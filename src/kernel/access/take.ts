/**
 * Limits that hold over all processes (GCRA: one number for each bucket). One conditional statement
 * takes from every bucket or from none. If the statement runs in a transaction, a request that
 * rolls back does not count. If it runs directly on the database, the request counts immediately,
 * even if the request fails later. No connection is held during the work, and afterwards the caller
 * gives back the part that should not count. If a bucket is empty only because attempts of this
 * process are running, a caller may wait for one of them to end. The kernel owns the rows and
 * deletes the rows of full buckets.
 */
import { Type } from 'typebox'
import type { Db, Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { problem } from '../errors/problem.ts'
import type { Keyring } from '../keys.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { RateSettings } from './rate.ts'
import { isLoopback, networkOf } from './rate.ts'

export type Bucket = {
  /** `<surface>.<limit>` */
  readonly name: string
  /**
   * There is one bucket for each value. The value is stored as a keyed hash, so it may be secret or
   * personal.
   */
  readonly of?: string
  /** There is one bucket for each network. A loopback peer in development has no bucket. */
  readonly ip?: string
  /** The capacity of a bucket, and the seconds in which an empty bucket fills. */
  readonly many: number
  readonly per_seconds: number
  /** The limit is not multiplied by KERNEL_RATE_FACTOR. */
  readonly exact?: true
  readonly refusal?: 'rate_limited' | 'quota_exceeded'
} & Pick<TakeOptions, 'debt' | 'wait'>

export type TakeOptions = {
  /** The amount to take. The default is 1. */
  readonly cost?: number
  /**
   * Whether one cost may be larger than the bucket. The bucket is then in debt and refills over a
   * longer time. Without this option such a cost is always refused.
   */
  readonly debt?: boolean
  /** Waits up to two seconds while attempts of this process on this bucket are running. */
  readonly wait?: boolean
}

export type Taken = {
  /** Call it when the attempt has succeeded: the attempt does not count. */
  giveBack(): Promise<void>
  /**
   * Works like `giveBack`, in the caller's transaction. If that transaction fails, the caller must
   * still end the attempt.
   */
  giveBackWith(tx: Tx): void
  /**
   * Call it when the attempt counts. Only the first call of these three functions has an effect.
   */
  keep(): void
}

/** Takes from every bucket, or throws `rate_limited` (`quota_exceeded`) and takes from none. */
export type Take = (
  door: Db | Tx,
  buckets: readonly Bucket[],
  options?: TakeOptions,
) => Promise<Taken>

/**
 * Takes from each bucket that has enough left, and returns for each bucket whether it had enough.
 * The taken amount counts in any case. This limits the rate of background work, where an empty
 * bucket must not delay the others.
 */
export type TakeEach = (db: Db, buckets: readonly Bucket[]) => Promise<boolean[]>

type Filled = Bucket & { readonly row: string; readonly step: number; readonly span: number }
type Flight = { count: number; waiting: (() => void)[] }

const wait_ms_max = 2000
const Name = Type.Object({ bucket: Type.String() })
const Wait = Type.Object({ retry_after: Type.Integer() })

type Needs = {
  readonly settings: Pick<RateSettings, 'kernel.rate_factor' | 'kernel.throttle_loopback'>
  readonly keys: Pick<Keyring, 'fingerprint'>
}

export function openTakeEach(needs: Needs): TakeEach {
  const filled = openFilled(needs)
  return async (db, buckets) => {
    const rows = new Map(buckets.flatMap(one => filled(one, {})).map(one => [one.row, one]))
    const taken = await db.many(Name, taking([...rows.values()]))
    const enough = new Set(taken.map(one => one.bucket))
    return buckets.map(one => filled(one, {}).every(({ row }) => enough.has(row)))
  }
}

function openFilled({ settings, keys }: Needs) {
  return (bucket: Bucket, options: TakeOptions): Filled[] => {
    const { name, of, ip, per_seconds, exact } = bucket
    if (ip !== undefined && isLoopback(ip) && !settings['kernel.throttle_loopback']) return []
    const factor = exact ? 1 : settings['kernel.rate_factor']
    const step = ((options.cost ?? 1) * per_seconds) / Math.max(1, Math.floor(bucket.many * factor))
    const debt = bucket.debt ?? options.debt ?? false
    const wait = bucket.wait ?? options.wait ?? false
    const secret = of === undefined ? '' : `:${keys.fingerprint(use, of).toString('base64url')}`
    const row = `${name}${ip === undefined ? '' : `:${networkOf(ip)}`}${secret}`
    return [{ ...bucket, wait, row, step, span: debt ? Math.max(per_seconds, step) : per_seconds }]
  }
}

export function openTake({
  metrics,
  ...needs
}: Needs & { readonly metrics: Pick<Metrics, 'rateLimited'> }): Take {
  const flights = new Map<string, Flight>()
  const filled = openFilled(needs)

  return async (door, buckets, options = {}) => {
    const all = buckets.flatMap(one => filled(one, options))
    const deadline = performance.now() + wait_ms_max
    for (;;) {
      const running = new Set(all.map(one => one.row).filter(row => flights.has(row)))
      const refused = await takeAll(door, all)
      if (!refused) break
      const flight = refused.wait ? flights.get(refused.row) : undefined
      const left = deadline - performance.now()
      // The attempt that blocked this one has ended meanwhile, so it tries again.
      if (refused.wait && !flight && left > 0 && running.has(refused.row)) continue
      if (!flight || left <= 0) {
        metrics.rateLimited.inc({ class: refused.name.split('.')[0] ?? '' })
        throw await refusalOf(door, refused)
      }
      await landed(flight, left)
    }
    for (const one of all) if (one.wait) takeOff(flights, one.row)
    return takenFrom(door, flights, all)
  }
}

const use = 'kernel.throttles'

class Refused extends Error {
  override readonly name = 'Refused'
  readonly bucket: Filled
  constructor(bucket: Filled) {
    super(`nothing is left in ${bucket.name}`)
    this.bucket = bucket
  }
}

/** Returns the first bucket that has too little (then nothing is taken), or undefined. */
async function takeAll(door: Db | Tx, buckets: readonly Filled[]): Promise<Filled | undefined> {
  if (buckets.length === 0) return undefined
  const first = async (through: Pick<Tx, 'many'>) => {
    const taken = await through.many(Name, taking(buckets))
    return buckets.find(({ row }) => !taken.some(one => one.bucket === row))
  }
  // This is either the caller's transaction, which rolls back after a refusal, or a single
  // statement that takes all or nothing.
  if (!('tx' in door) || buckets.length === 1) return await first(door)
  try {
    return await door.tx(async tx => {
      const refused = await first(tx)
      if (refused) throw new Refused(refused)
      return undefined
    })
  } catch (error) {
    if (error instanceof Refused) return error.bucket
    throw error
  }
}

/** Rows are locked in the order of their names, so that two callers cannot deadlock. */
function taking(buckets: readonly Filled[]): Sql {
  return sql`
    with wanted as (
      select * from unnest(${buckets.map(one => one.row)}::text[],
        ${buckets.map(one => one.step)}::float8[],
        ${buckets.map(one => one.span)}::float8[]) as w (bucket, step, span)
    )
    insert into kernel.throttles as t (bucket, tat)
    select bucket, now() + make_interval(secs => step) from wanted
    where step <= span + 0.001
    order by bucket
    on conflict (bucket) do update
      set tat = greatest(t.tat, now()) + (excluded.tat - now())
      where greatest(t.tat, now()) + (excluded.tat - now()) - now()
        <= make_interval(secs => (select span + 0.001 from wanted w where w.bucket = t.bucket))
    returning bucket`
}

async function refusalOf(door: Db | Tx, { row, step, span, refusal, per_seconds }: Filled) {
  const found = await door.maybe(
    Wait,
    sql`
      select greatest(1, ceil(extract(epoch from tat - now()) + ${step - span}::float8))::int
        as retry_after
      from kernel.throttles where bucket = ${row}`,
  )
  return problem(refusal ?? 'rate_limited', {
    retry_after: found?.retry_after ?? Math.ceil(per_seconds),
  })
}

function takenFrom(door: Db | Tx, flights: Map<string, Flight>, buckets: readonly Filled[]): Taken {
  let ended = false
  const end = (back: boolean) => {
    ended = true
    for (const one of buckets) if (one.wait) land(flights, one.row, back)
  }
  return {
    giveBack: async () => {
      if (ended) return
      ended = true
      if (buckets.length > 0) await door.run(giving(buckets)).finally(() => end(true))
    },
    giveBackWith: tx => {
      if (ended || buckets.length === 0) return
      tx.atCommit(giving(buckets))
      tx.afterCommit(() => end(true))
    },
    keep: () => {
      if (!ended) end(false)
    },
  }
}

function giving(buckets: readonly Filled[]): Sql {
  return sql`
    with back as (
      select t.bucket, w.step
      from unnest(${buckets.map(one => one.row)}::text[],
        ${buckets.map(one => one.step)}::float8[]) as w (bucket, step)
      join kernel.throttles t on t.bucket = w.bucket
      order by t.bucket
      for update of t
    )
    update kernel.throttles t set tat = t.tat - make_interval(secs => back.step)
    from back where t.bucket = back.bucket`
}

function takeOff(flights: Map<string, Flight>, row: string): void {
  const flight = flights.get(row) ?? { count: 0, waiting: [] }
  flight.count++
  flights.set(row, flight)
}

/**
 * Each attempt that is given back lets one waiter try again. After the last attempt all waiters try
 * again.
 */
function land(flights: Map<string, Flight>, row: string, back: boolean): void {
  const flight = flights.get(row)
  if (!flight) return
  flight.count--
  if (flight.count === 0) {
    flights.delete(row)
    for (const wake of flight.waiting.splice(0)) wake()
  } else if (back) flight.waiting.shift()?.()
}

function landed(flight: Flight, limit_ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, limit_ms)
    flight.waiting.push(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
