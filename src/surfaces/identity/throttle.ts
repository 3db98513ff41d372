/**
 * Limits on guessing, over all processes: one conditional statement a bucket (GCRA), taken before any
 * hash is computed and given back when the attempt succeeds, so that a burst cannot share one budget.
 * Where a bucket is empty only because attempts of this process are in flight, the caller waits for one
 * to be given back; it holds no connection while it waits.
 */
import { Type } from 'typebox'
import { isLoopback, networkOf } from '../../kernel/access/rate.ts'
import type { Tx } from '../../kernel/database/db.ts'
import { sql, type Sql } from '../../kernel/database/sql.ts'
import type { Kernel } from './settings.ts'
import { problem } from './errors.ts'

export type Bucket = {
  readonly name: string
  readonly burst: number
  readonly step_seconds: number
  /** An empty bucket may be waited for while attempts on it are in flight. */
  readonly waits?: true
}

export type Attempt = {
  /** The attempt was fine: it does not count. */
  giveBack(): Promise<void>
  /** The same as part of this transaction: if it fails, the attempt is still to be ended. */
  giveBackWith(tx: Tx): void
  /** The attempt counts. The first of the two ends it; what follows does nothing. */
  keep(): void
}

export type Throttle = {
  /** Takes one from every bucket, or throws `rate_limited` and takes from none. */
  take(buckets: readonly Bucket[]): Promise<Attempt>
  /** The bucket of the caller's network; none for a loopback peer in development. */
  network(name: string, ip: string, burst: number, step_seconds: number): Bucket[]
  /** A bucket named by something secret or personal, which is kept as a keyed hash. */
  about(name: string, value: string, burst: number, step_seconds: number): Bucket
  /** Mails to an address that has not proven itself, for whatever reason and whoever asks. */
  recipient(normalized: string): Bucket
  /** So many an hour, like all general rates multiplied by KERNEL_RATE_FACTOR. */
  hourly(name: string, value: string, per_hour: number, burst?: number): Bucket
}

type Flight = { count: number; waiting: (() => void)[] }

const wait_ms_max = 2000
const Limited = Type.Object({ retry_after: Type.Integer() })

export function openThrottle(
  kernel: Pick<Kernel, 'db' | 'keys' | 'settings' | 'metrics'>,
): Throttle {
  const { keys, settings, metrics } = kernel
  const flights = new Map<string, Flight>()

  const takeOne = async (bucket: Bucket): Promise<void> => {
    const deadline = performance.now() + wait_ms_max
    while (!(await consume(kernel, bucket))) {
      const flight = bucket.waits ? flights.get(bucket.name) : undefined
      const left = deadline - performance.now()
      if (!flight || left <= 0) throw await refusal(kernel, bucket)
      await landed(flight, left)
    }
    if (bucket.waits) takeOff(flights, bucket.name)
  }

  const about: Throttle['about'] = (name, value, burst, step_seconds) => ({
    name: `identity.${name}:${keys.fingerprint('identity.throttle', value).toString('base64url')}`,
    burst,
    step_seconds,
  })
  const factor = settings['kernel.rate_factor']
  const hourly: Throttle['hourly'] = (name, value, per_hour, burst = per_hour) =>
    about(name, value, Math.max(1, Math.floor(burst * factor)), 3600 / (per_hour * factor))

  return {
    take: async buckets => {
      const taken: Bucket[] = []
      const attempt = attemptOn(kernel, flights, taken)
      try {
        for (const bucket of buckets) {
          await takeOne(bucket)
          taken.push(bucket)
        }
      } catch (error) {
        await attempt.giveBack()
        metrics.rateLimited.inc({ class: 'auth' })
        throw error
      }
      return attempt
    },
    network: (name, ip, burst, step_seconds) => {
      if (isLoopback(ip) && !settings['kernel.throttle_loopback']) return []
      const most = Math.max(1, Math.floor(burst * factor))
      return [
        {
          name: `identity.${name}:${networkOf(ip)}`,
          burst: most,
          step_seconds: step_seconds / factor,
        },
      ]
    },
    about,
    recipient: normalized =>
      hourly('recipient', normalized, settings['identity.mails_per_recipient_per_hour']),
    hourly,
  }
}

function attemptOn(
  kernel: Pick<Kernel, 'db'>,
  flights: Map<string, Flight>,
  taken: readonly Bucket[],
): Attempt {
  let ended = false
  const end = (back: boolean) => {
    ended = true
    for (const one of taken) if (one.waits) land(flights, one.name, back)
  }
  return {
    giveBack: async () => {
      if (ended) return
      ended = true
      await refund(kernel, taken).finally(() => end(true))
    },
    giveBackWith: tx => {
      for (const one of taken) tx.atCommit(given(one))
      tx.afterCommit(() => end(true))
    },
    keep: () => {
      if (!ended) end(false)
    },
  }
}

async function refund({ db }: Pick<Kernel, 'db'>, buckets: readonly Bucket[]): Promise<void> {
  for (const one of buckets) await db.run(given(one))
}

function given({ name, step_seconds }: Bucket): Sql {
  return sql`
    update kernel.throttles set tat = tat - make_interval(secs => ${step_seconds})
    where bucket = ${name}`
}

async function consume({ db }: Pick<Kernel, 'db'>, bucket: Bucket): Promise<boolean> {
  const { name, burst, step_seconds } = bucket
  const touched = await db.run(sql`
    insert into kernel.throttles as t (bucket, tat)
    values (${name}, now() + make_interval(secs => ${step_seconds}))
    on conflict (bucket) do update
      set tat = greatest(t.tat, now()) + make_interval(secs => ${step_seconds})
      where greatest(t.tat, now()) + make_interval(secs => ${step_seconds}) - now()
        <= make_interval(secs => ${burst * step_seconds + 0.001})`)
  return touched === 1
}

async function refusal({ db }: Pick<Kernel, 'db'>, { name, burst, step_seconds }: Bucket) {
  const found = await db.maybe(
    Limited,
    sql`
      select greatest(1, ceil(extract(epoch from tat - now()) - ${(burst - 1) * step_seconds}))::int
        as retry_after
      from kernel.throttles where bucket = ${name}`,
  )
  return problem('rate_limited', { retry_after: found?.retry_after ?? 1 })
}

function takeOff(flights: Map<string, Flight>, name: string): void {
  const flight = flights.get(name) ?? { count: 0, waiting: [] }
  flight.count++
  flights.set(name, flight)
}

/** One given back lets one waiter try again; the last landing lets all of them see the truth. */
function land(flights: Map<string, Flight>, name: string, back: boolean): void {
  const flight = flights.get(name)
  if (!flight) return
  flight.count--
  if (flight.count === 0) {
    flights.delete(name)
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
