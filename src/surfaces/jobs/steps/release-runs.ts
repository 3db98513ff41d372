/**
 * When runs that are put off go on. In the transaction that ends their attempts, the runs are locked,
 * and only then their steps are read: so what wakes a run is either seen here, or sees its queue row.
 */
import { Type } from 'typebox'
import { sql, type StepWaits, type Tx } from '#dodeca/kernel'

export type Releasing = {
  readonly tenant_id: string
  readonly job_id: string
  readonly waits: StepWaits
}

const Wake = Type.Object({ job_id: Type.String(), wake_at: Type.String() })

/** The time of each run. A run that is missing goes on immediately. */
export async function wakeTimes(
  tx: Tx,
  runs: readonly Releasing[],
): Promise<ReadonlyMap<string, string>> {
  const tenants = runs.map(one => one.tenant_id)
  const ids = runs.map(one => one.job_id)
  const lock = sql`
    select from jobs.runs r
    where (r.tenant_id, r.job_id) in (select * from unnest(${tenants}::uuid[], ${ids}::uuid[]))
    order by r.job_id
    for no key update`
  const wakes = sql`
    select g.job_id, coalesce(g.wake_at, kernel.now() + interval '366 days') as wake_at
    from unnest(${tenants}::uuid[], ${ids}::uuid[],
      ${runs.map(({ waits }) => sql.json(waits.names))}::jsonb[],
      ${runs.map(({ waits }) => waits.wake_at)}::timestamptz[]
    ) g (tenant_id, job_id, names, wake_at)
    where (g.wake_at is null or g.wake_at > kernel.now()) and not exists (
      select from jobs.job_steps s
      where s.tenant_id = g.tenant_id and s.job_id = g.job_id
        and s.name in (select jsonb_array_elements_text(g.names))
        and (s.state not in ('waiting', 'retrying')
          or s.kind = 'invoke' and s.result is not null
          or s.kind = 'signal' and exists (
            select from jobs.job_signals x
            where x.tenant_id = s.tenant_id and x.job_id = s.job_id and x.name = s.awaited
              and x.step is null)))`
  // Sent together, and run one after the other: the second one sees what the locks waited for.
  const [, rows] = await Promise.all([tx.run(lock), tx.many(Wake, wakes)])
  return new Map(rows.map(row => [row.job_id, row.wake_at]))
}
