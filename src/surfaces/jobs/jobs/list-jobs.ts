/**
 * Jobs of a tenant, newest first. Waiting jobs are found in the queue, running jobs among the
 * running attempts, and failed jobs by their own index. So a page costs the same, however many
 * other jobs there are.
 */
import { sql, type Reader, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { JobView, StateFilter } from '../schemas.ts'
import type { Readable } from './find-job.ts'
import { viewJobs } from './view-job.ts'

export type Listed = {
  readonly tenant_id: string
  readonly state: StateFilter | undefined
  readonly type: string | undefined
  readonly after: string | null
  readonly fetch: number
  readonly readable: Readable
  readonly principal_id: string
}

const beyond_all = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export async function listJobs(
  reader: Reader,
  deps: Pick<Deps, 'kernel' | 'types'>,
  listed: Listed,
): Promise<JobView[]> {
  const { after, fetch, tenant_id } = listed
  const before = after ?? beyond_all
  const { from, id } = sourceOf(listed.state, tenant_id)
  return await viewJobs(
    reader,
    deps,
    sql`
    select j.id, j.tenant_id ${from}
      and ${id} < ${before}::uuid
      and ${mayRead(listed)}
      and (${listed.type ?? null}::text is null or j.type = ${listed.type ?? null}::text)
    order by ${id} desc
    limit ${fetch}`,
  )
}

function sourceOf(state: StateFilter | undefined, tenant_id: string): { from: Sql; id: Sql } {
  const row = sql`j.id`
  const all = sql`from jobs.jobs j where j.tenant_id = ${tenant_id}`
  switch (state) {
    case undefined:
      return { from: all, id: row }
    case 'queued':
    case 'pending':
    case 'retryable':
      return {
        from: sql`
          from jobs.job_queue q
          cross join lateral (
            -- Reads row by row in the order of the queue, because a join of both tables would start
            -- at the newest job.
            select j.id, j.tenant_id, j.type, j.principal_id, j.state from jobs.jobs j
            where j.tenant_id = q.tenant_id and j.id = q.job_id
            limit 1
          ) j
          where q.tenant_id = ${tenant_id}
            and (${state} = 'queued' or j.state = ${state})`,
        id: sql`q.job_id`,
      }
    case 'running':
      return {
        from: sql`
          from jobs.job_attempts a
          join jobs.jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id
          where a.tenant_id = ${tenant_id} and a.state = 'running'`,
        id: row,
      }
    case 'terminal':
      return { from: sql`${all} and j.completed_at is not null`, id: row }
    case 'succeeded':
      return { from: sql`${all} and j.state = 'succeeded'`, id: row }
    case 'failed':
    case 'cancelled':
    case 'expired':
      return { from: sql`${all} and j.dead_at is not null and j.state = ${state}`, id: row }
  }
}

function mayRead({ readable, principal_id }: Listed): Sql {
  const { all, types, own_all, own_types, own_except } = readable
  return sql`(${all} or j.type = any(${types}::text[]) or (j.principal_id = ${principal_id}
    and (j.type = any(${own_types}::text[])
      or (${own_all} and j.type <> all(${own_except}::text[])))))`
}
