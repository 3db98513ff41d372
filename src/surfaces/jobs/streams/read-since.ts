/**
 * Reads everything that happened to a job since a position in its sequence, in one snapshot: the
 * lines of progress, the last entry of its history, and the job itself at that time.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Db, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { JobKey } from '../face.ts'
import { Progress, type JobView } from '../schemas.ts'
import { viewJob } from '../jobs/view-job.ts'

export type Since = {
  readonly progress: readonly Static<typeof Progress>[]
  /**
   * The position at which the job entered the state that is shown, or null if it entered the state
   * earlier.
   */
  readonly moved_at: number | null
  readonly job: JobView
  readonly sequence: number
}

const Place = Type.Object({ sequence: Type.Integer(), moved_at: nullable(Type.Integer()) })

/** `after` null means from now on. Returns undefined if the job is deleted. */
export function readSince(
  db: Pick<Db, 'tx'>,
  deps: Pick<Deps, 'kernel' | 'types'>,
  key: JobKey,
  after: number | null,
): Promise<Since | undefined> {
  return db.tx(tx => read(tx, deps, key, after), { isolation: 'repeatable read' })
}

async function read(
  reader: Reader,
  deps: Pick<Deps, 'kernel' | 'types'>,
  key: JobKey,
  after: number | null,
): Promise<Since | undefined> {
  const { tenant_id, job_id } = key
  const place = await placeOf(reader, key, after)
  if (!place) return undefined
  const { sequence, moved_at } = place
  const progress = await reader.many(
    Progress,
    sql`
    select sequence, stage, current, total, message_code, recorded_at from jobs.job_progress
    where tenant_id = ${tenant_id} and job_id = ${job_id}
      and sequence > ${after ?? sequence} and sequence <= ${sequence}
    order by sequence`,
  )
  const job = await viewJob(reader, deps, key)
  return job && { progress, moved_at, job, sequence }
}

async function placeOf(reader: Reader, { tenant_id, job_id }: JobKey, after: number | null) {
  return await reader.maybe(
    Place,
    sql`
    select j.last_sequence as sequence,
      -- The reader is ahead if a standby that lacked the last changes has taken over.
      case when ${after}::int is null or ${after}::int > j.last_sequence then j.last_sequence
        else (select max(e.sequence) from jobs.job_events e
          where e.tenant_id = j.tenant_id and e.job_id = j.id and e.sequence > ${after}::int)
      end as moved_at
    from jobs.jobs j where j.tenant_id = ${tenant_id} and j.id = ${job_id}`,
  )
}
