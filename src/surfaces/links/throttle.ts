/**
 * Limits that hold over all processes: one conditional statement a bucket (GCRA) in the transaction of
 * what it limits, so that what comes to nothing does not count.
 */
import { Type } from 'typebox'
import { isLoopback, networkOf } from '../../kernel/access/rate.ts'
import type { Tx } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import type { Kernel } from './settings.ts'
import { problem } from './errors.ts'

export type Bucket = {
  readonly name: string
  readonly burst: number
  readonly window_seconds: number
  readonly refusal: 'rate_limited' | 'quota_exceeded'
  /** What is more than a whole bucket may take an empty one and is paid off afterwards; else it never fits. */
  readonly debt?: true
}

const Taken = Type.Object({ bucket: Type.String() })
const Wait = Type.Object({ retry_after: Type.Integer() })

/** Takes `count` from every bucket, or throws. Buckets are held in the order of their names. */
export async function take(
  tx: Tx,
  { settings, metrics }: Pick<Kernel, 'settings' | 'metrics'>,
  buckets: readonly Bucket[],
  count = 1,
): Promise<void> {
  if (buckets.length === 0) return
  const factor = settings['kernel.rate_factor']
  const steps = buckets.map(({ burst, window_seconds }) => {
    const most = Math.max(1, Math.floor(burst * factor))
    return (count * window_seconds) / most
  })
  const rooms = buckets.map(({ window_seconds, debt }, at) =>
    debt ? Math.max(window_seconds, steps[at] ?? 0) : window_seconds,
  )
  const taken = await tx.many(
    Taken,
    sql`
      with wanted as (
        select * from unnest(${buckets.map(({ name }) => name)}::text[], ${steps}::float8[],
          ${rooms}::float8[]) as w (bucket, step, span)
      )
      insert into kernel.throttles as t (bucket, tat)
      select bucket, now() + make_interval(secs => step) from wanted
      where step <= span + 0.001
      order by bucket
      on conflict (bucket) do update
        set tat = greatest(t.tat, now()) + (excluded.tat - now())
        where greatest(t.tat, now()) + (excluded.tat - now()) - now()
          <= make_interval(secs => (select span + 0.001 from wanted w where w.bucket = t.bucket))
      returning bucket`,
  )
  const refused = buckets.findIndex(({ name }) => !taken.some(one => one.bucket === name))
  const bucket = buckets[refused]
  if (!bucket) return
  const found = await tx.maybe(
    Wait,
    sql`
      select greatest(1, ceil(extract(epoch from tat - now())
        + ${(steps[refused] ?? 0) - (rooms[refused] ?? 0)}::float8))::int as retry_after
      from kernel.throttles where bucket = ${bucket.name}`,
  )
  metrics.rateLimited.inc({ class: 'links' })
  throw problem(bucket.refusal, {
    retry_after: found?.retry_after ?? Math.ceil(bucket.window_seconds),
  })
}

/** The bucket of the caller's network; none for this machine in development. */
export function network(
  { settings }: Pick<Kernel, 'settings'>,
  name: string,
  ip: string,
  limit: Pick<Bucket, 'burst' | 'window_seconds'>,
): Bucket[] {
  if (isLoopback(ip) && !settings['kernel.throttle_loopback']) return []
  return [{ name: `links.${name}:${networkOf(ip)}`, refusal: 'rate_limited', ...limit }]
}
