/**
 * Limits that hold over all processes: one conditional statement a bucket (GCRA) in the transaction of
 * what it limits, so that what comes to nothing does not count.
 */
import { Type } from 'typebox'
import { isLoopback, networkOf } from '../../kernel/access/rate.ts'
import type { Tx } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import type { Kernel } from '../../kernel/surface.ts'
import { problem } from './errors.ts'

export type Bucket = {
  readonly name: string
  readonly burst: number
  readonly window_seconds: number
  readonly refusal: 'rate_limited' | 'quota_exceeded'
}

const Wait = Type.Object({ retry_after: Type.Integer() })

/** Takes `count` from every bucket, or throws. Buckets are taken in the order of their names. */
export async function take(
  tx: Tx,
  { settings, metrics }: Pick<Kernel, 'settings' | 'metrics'>,
  buckets: readonly Bucket[],
  count = 1,
): Promise<void> {
  const factor = settings['kernel.rate_factor']
  for (const { name, burst, window_seconds, refusal } of buckets) {
    const most = Math.max(1, Math.floor(burst * factor))
    const step = window_seconds / most
    const taken = await tx.run(sql`
      insert into kernel.throttles as t (bucket, tat)
      select ${name}, now() + make_interval(secs => ${count * step}::float8)
      where ${count}::int <= ${most}::float8
      on conflict (bucket) do update
        set tat = greatest(t.tat, now()) + make_interval(secs => ${count * step}::float8)
        where greatest(t.tat, now()) + make_interval(secs => ${count * step}::float8) - now()
          <= make_interval(secs => ${window_seconds + 0.001}::float8)`)
    if (taken === 1) continue
    const found = await tx.maybe(
      Wait,
      sql`
        select greatest(1, ceil(extract(epoch from tat - now())
          + ${count * step - window_seconds}::float8))::int as retry_after
        from kernel.throttles where bucket = ${name}`,
    )
    metrics.rateLimited.inc({ class: 'links' })
    throw problem(refusal, { retry_after: found?.retry_after ?? Math.ceil(window_seconds) })
  }
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
