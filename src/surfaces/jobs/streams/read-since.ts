/**
 * What has happened to a job since a place in its one sequence: the lines of progress in between, whether
 * its history went on, and the job itself, which is never older than the place that is answered.
 */
import { Type, type Static } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import type { JobKey } from '../face.ts'
import { isTerminal, Progress, type JobView } from '../schemas.ts'
import { viewJob } from '../jobs/view-job.ts'

export type Since = {
  readonly progress: readonly Static<typeof Progress>[]
  readonly state_moved: boolean
  readonly job: JobView
  readonly sequence: number
  /** It has ended, and nothing of it was left out. */
  readonly over: boolean
}

const Place = Type.Object({ sequence: Type.Integer(), state_moved: Type.Boolean() })

/** `after` null: from now on. Undefined where the job has gone. */
export async function readSince(
  reader: Reader,
  deps: Pick<Deps, 'kernel' | 'types'>,
  key: JobKey,
  after: number | null,
): Promise<Since | undefined> {
  const { tenant_id, job_id } = key
  const place = await placeOf(reader, key, after)
  if (!place) return undefined
  const { sequence, state_moved } = place
  const progress = await reader.many(
    Progress,
    sql`
    select sequence, stage, current, total, message_code, recorded_at from jobs.job_progress
    where tenant_id = ${tenant_id} and job_id = ${job_id}
      and sequence > ${after ?? sequence} and sequence <= ${sequence}
    order by sequence`,
  )
  const job = await viewJob(reader, deps, key)
  if (!job) return undefined
  // The end comes last in the sequence: one that was seen already must not be told before the rest.
  const over = isTerminal(job.state) && (await placeOf(reader, key, after))?.sequence === sequence
  return { progress, state_moved, job, sequence, over }
}

async function placeOf(reader: Reader, { tenant_id, job_id }: JobKey, after: number | null) {
  return await reader.maybe(
    Place,
    sql`
    select j.last_sequence as sequence, ${after}::int is null or exists (
        select from jobs.job_events e
        where e.tenant_id = j.tenant_id and e.job_id = j.id
          and e.sequence > ${after}::int and e.sequence <= j.last_sequence) as state_moved
    from jobs.jobs j where j.tenant_id = ${tenant_id} and j.id = ${job_id}`,
  )
}
