/**
 * Limits that hold over all processes: one conditional statement a bucket (GCRA). Like all rates of the
 * platform they are multiplied by KERNEL_RATE_FACTOR.
 */
import { Type } from 'typebox'
import type { Reader } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import type { Kernel } from './settings.ts'
import { problem } from './errors.ts'

const Taken = Type.Object({ taken: Type.Boolean(), wait: Type.Integer() })

export async function takeTurn(
  reader: Pick<Reader, 'one'>,
  { settings }: Pick<Kernel, 'settings'>,
  bucket: { readonly name: string; readonly many: number; readonly per_seconds: number },
): Promise<void> {
  const burst = Math.max(1, Math.floor(bucket.many * settings['kernel.rate_factor']))
  const step = bucket.per_seconds / burst
  const name = `webhooks.${bucket.name}`
  const { taken, wait } = await reader.one(
    Taken,
    sql`
      with taken as (
        insert into kernel.throttles as t (bucket, tat)
        values (${name}, now() + make_interval(secs => ${step}))
        on conflict (bucket) do update
          set tat = greatest(t.tat, now()) + make_interval(secs => ${step})
          where greatest(t.tat, now()) + make_interval(secs => ${step}) - now()
            <= make_interval(secs => ${bucket.per_seconds + 0.001})
        returning 1
      )
      select exists (select from taken) as taken,
        greatest(1, ceil(extract(epoch from coalesce((
          select tat from kernel.throttles where bucket = ${name}), now()) - now())
          - ${bucket.per_seconds - step}))::int as wait`,
  )
  if (taken) return
  throw problem('rate_limited', { retry_after: wait, headers: { 'retry-after': String(wait) } })
}
