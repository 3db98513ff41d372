/**
 * Runs ended jobs again: the same jobs, with new attempts whose numbers continue. The reason of the
 * end is removed from the row and stays in the history. A deadline that has passed is removed,
 * because the job would otherwise expire immediately. The job waits again for parents that are not
 * satisfied and for a future time.
 */
import { Type, type Static } from 'typebox'
import { sql, type Principal, type Tx } from '#dodeca/kernel'
import { waitAgain } from '../dependencies/wait-for.ts'
import type { Deps } from '../deps.ts'
import { runner_topic } from '../topics.ts'
import { reopenRun } from '../steps/end-run.ts'
import type { Redrive } from './schemas.ts'

const Reopened = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  lacks: Type.Array(Type.String()),
})
type Reopened = Static<typeof Reopened>

export async function reopenJobs(
  tx: Tx,
  { listeners, types, quota }: Pick<Deps, 'listeners' | 'types' | 'quota'>,
  tenant_id: string,
  job_ids: readonly string[],
): Promise<readonly string[]> {
  if (job_ids.length === 0) return []
  await quota.require(tx, tenant_id, job_ids.length)
  const reopened = await reopen(tx, tenant_id, job_ids)
  for (const { id, type, schema_version, lacks } of reopened) {
    const job = { id, tenant_id, type, schema_version }
    const own = types.builtIn(job)
    if (own?.workflow) await reopenRun(tx, job)
    await own?.reopened?.(tx, job)
    if (lacks.length > 0) await waitAgain(tx, listeners, job, lacks)
  }
  if (reopened.length > 0) tx.wake(runner_topic)
  return reopened.map(one => one.id)
}

async function reopen(
  tx: Tx,
  tenant_id: string,
  job_ids: readonly string[],
): Promise<readonly Reopened[]> {
  return await tx.many(
    Reopened,
    sql`
    with again as (
      update jobs.jobs j
      set state = 'retryable', version = version + 1, last_sequence = last_sequence + 1,
        completed_at = null, dead_at = null, cancel_requested_at = null, error_code = null,
        error_retryable = null, cause_job_id = null, failures = 0, losses = 0,
        deadline_at = case when deadline_at > kernel.now() then deadline_at end
      where tenant_id = ${tenant_id} and id = any(${job_ids}::uuid[])
        and state in ('failed', 'cancelled', 'expired')
      returning id, tenant_id, type, schema_version, priority, scheduled_at, deadline_at,
        last_sequence,
        array(select d.depends_on_job_id::text from jobs.job_dependencies d
          join jobs.jobs p on p.tenant_id = d.tenant_id and p.id = d.depends_on_job_id
          where d.job_id = j.id and d.tenant_id = j.tenant_id and d.satisfied_at is null)
          as lacks
    ),
    queued as (
      insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank, wake_at,
        deadline_at)
      select tenant_id, id, type, schema_version, priority,
        case when cardinality(lacks) > 0 then 'infinity'::timestamptz
          when scheduled_at > kernel.now() then scheduled_at end,
        deadline_at
      from again
    ),
    remembered as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type)
      select id, last_sequence, tenant_id, 'retried' from again
    )
    select id, tenant_id, type, schema_version, lacks from again order by id`,
  )
}

/** An input is never JSON's null, except after its erasure (personal.ts). */
const isErased = sql`json_typeof(i.parameters) = 'null'`

const Erased = Type.Object({ job_id: Type.String() })

/** Their input was erased with their submitter's account, so they can never run again. */
export async function withErasedInput(
  tx: Tx,
  tenant_id: string,
  job_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.many(
    Erased,
    sql`
    select i.job_id from jobs.job_inputs i
    where i.tenant_id = ${tenant_id} and i.job_id = any(${job_ids}::uuid[]) and ${isErased}`,
  )
  return new Set(rows.map(row => row.job_id))
}

const Dead = Type.Object({ id: Type.String() })

/** Cancelled jobs stay cancelled, because a caller requested that. */
export async function redriveJobs(
  tx: Tx,
  deps: Pick<Deps, 'listeners' | 'types' | 'quota'>,
  { type, error_code, limit }: Redrive,
  { tenant_id }: Principal,
): Promise<number> {
  const dead = await tx.many(
    Dead,
    sql`
    select id from jobs.jobs j
    where tenant_id = ${tenant_id} and dead_at is not null and type = ${type}
      and state in ('failed', 'expired')
      and (${error_code ?? null}::text is null or error_code = ${error_code ?? null}::text)
      and not exists (select from jobs.job_inputs i
        where i.tenant_id = j.tenant_id and i.job_id = j.id and ${isErased})
    order by id
    limit ${limit}
    for no key update skip locked`,
  )
  // Again under the lock, because the statement before may have waited for an erasure.
  const erased = await withErasedInput(
    tx,
    tenant_id,
    dead.map(one => one.id),
  )
  const ids = dead.map(one => one.id).filter(id => !erased.has(id))
  const retried = await reopenJobs(tx, deps, tenant_id, ids)
  const reason = `${retried.length} of type ${type}${error_code === undefined ? '' : ` (${error_code})`}`
  tx.audit('jobs.jobs.redrive', type, { reason })
  return retried.length
}
