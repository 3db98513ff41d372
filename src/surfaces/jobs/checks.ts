/**
 * Invariants that hold for jobs between any two transactions. The state of a job follows from its
 * history. A job that has not ended is in exactly one place: the queue or a running attempt. A job
 * that has ended is in neither, and has one completion event for each end.
 */
import { Type } from 'typebox'
import { nil_id, sql, type Check, type Db } from '#dodeca/kernel'

const portion = 5000
const faults_max = 100

export function checkJobs(db: Db): Check {
  return {
    name: 'jobs',
    says: 'Each job is what its history says, in one place, and was announced once for each end',
    run: async () => {
      const faults = await strays(db)
      let after: string | null = nil_id
      while (after !== null && faults.length < faults_max) {
        const looked = await look(db, after)
        faults.push(...looked.faults)
        after = looked.last
      }
      return [...faults, ...(await unannounced(db))]
    },
  }
}

const Looked = Type.Object({
  last: Type.Union([Type.String(), Type.Null()]),
  faults: Type.Array(Type.String()),
})

/** One portion of the jobs, in the order of their ids. */
async function look(db: Db, after: string) {
  return await db.one(
    Looked,
    sql`
    -- any tenant: a check of all
    with job as materialized (
      select j.id, j.state, j.last_sequence, j.priority, j.type, j.schema_version, j.deadline_at
      from jobs.jobs j where j.id > ${after} order by j.id limit ${portion}
    ),
    history as (
      select e.job_id, max(e.sequence) as newest,
        (array_agg(e.type order by e.sequence desc)
          filter (where e.type not in ('ready', 'checkpointed', 'cancel_requested', 'updated')))[1]
          as turn
      from jobs.job_events e where e.job_id in (select id from job) group by e.job_id
    ),
    seen as (
      select job.*, h.newest, case h.turn
          when 'submitted' then 'pending' when 'started' then 'running'
          when 'lease_expired' then 'retryable' when 'released' then 'retryable'
          when 'retry_scheduled' then 'retryable' when 'retried' then 'retryable'
          else h.turn end as folded,
        (select count(*) from jobs.job_attempts a
          where a.job_id = job.id and a.state = 'running') as running,
        q.job_id is not null as waiting,
        q.wake_at = 'infinity' as blocked,
        exists (select from jobs.job_dependencies d
          where d.job_id = job.id and d.satisfied_at is null) as lacking,
        (q.rank, q.type, q.schema_version) is distinct from
          (job.priority, job.type, job.schema_version)
          or q.deadline_at is distinct from job.deadline_at as differs
      from job
      left join history h on h.job_id = job.id
      left join jobs.job_queue q on q.job_id = job.id
    ),
    fault as (
      select 'job ' || id || ' is ' || state || ', its history says ' || coalesce(folded, 'nothing')
      as says from seen where state is distinct from folded
      union all
      select 'job ' || id || ' is ' || state || ', but waits: ' || waiting || ', attempts: ' || running
      from seen
      where waiting <> (state in ('pending', 'retryable')) or running <> (state = 'running')::int
      union all
      select 'job ' || id || ' and its queue row differ' from seen where waiting and differs
      union all
      select 'job ' || id || ' waits for others: ' || blocked || ', lacks some: ' || lacking
      from seen where waiting and coalesce(blocked, false) <> lacking
      union all
      select 'job ' || id || ' counts ' || last_sequence || ', its history ' || newest
      from seen where newest > last_sequence
    )
    select (select max(id::text) from job having count(*) = ${portion}) as last,
      array(select says from fault limit ${faults_max}) as faults`,
  )
}

const Fault = Type.Object({ says: Type.String() })

/** Rows that belong to a job which does not exist. */
async function strays(db: Db): Promise<string[]> {
  const rows = await db.many(
    Fault,
    sql`
    -- any tenant: a check of all
    select 'queue row of ' || q.job_id || ' has no job' as says
    from jobs.job_queue q
    where not exists (select from jobs.jobs j where j.id = q.job_id and j.tenant_id = q.tenant_id)
    union all
    select 'attempt ' || a.id || ' runs without a job'
    from jobs.job_attempts a
    where a.state = 'running'
      and not exists (select from jobs.jobs j where j.id = a.job_id and j.tenant_id = a.tenant_id)
    limit ${faults_max}`,
  )
  return rows.map(row => row.says)
}

/** Checks only the newest jobs, because the log has no index by aggregate. */
async function unannounced(db: Db): Promise<string[]> {
  const rows = await db.many(
    Fault,
    sql`
    -- any tenant: a check of all
    with job as materialized (
      select j.id from jobs.jobs j order by j.id desc limit ${portion}
    ),
    ended as (
      select e.job_id as id, count(*) as times
      from jobs.job_events e
      where e.job_id in (select id from job)
        and e.type in ('succeeded', 'failed', 'cancelled', 'expired')
      group by e.job_id
    ),
    announced as (
      select event.aggregate_id as id, count(*) as times
      from (
        select aggregate_id from kernel.events
        where aggregate_type = 'job' and aggregate_id in (select id from job)
        union all
        select aggregate_id from kernel.outbox_events
        where aggregate_type = 'job' and aggregate_id in (select id from job)
      ) event
      group by event.aggregate_id
    )
    select 'job ' || job.id || ' ended ' || coalesce(ended.times, 0) || ' times, announced '
      || coalesce(announced.times, 0) as says
    from job left join ended using (id) left join announced using (id)
    where coalesce(ended.times, 0) <> coalesce(announced.times, 0)
    limit ${faults_max}`,
  )
  return rows.map(row => row.says)
}
