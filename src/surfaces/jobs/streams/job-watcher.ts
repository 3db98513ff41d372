/** Finds out when a watched job has changed or was deleted. */
import { Type } from 'typebox'
import { openChangeWatcher, sql, type ChangeWatcher, type Db } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { JobKey } from '../face.ts'

/** A job, and the last change of it that the reader has. */
type JobPlace = JobKey & { readonly sequence: number }

export type JobWatcher = ChangeWatcher<JobPlace>

export function openJobWatcher({
  db,
  log,
  onWake,
}: Pick<Kernel, 'db' | 'log' | 'onWake'>): JobWatcher {
  return openChangeWatcher<JobPlace>({
    log,
    onWake,
    wake_min_ms: 0,
    failure: 'the watched jobs could not be read; it is tried again',
    check: async places => {
      const current = await readSequences(db, places)
      return places.map(one => current.get(one.job_id) !== one.sequence)
    },
  })
}

async function readSequences(db: Db, jobs: readonly JobKey[]): Promise<Map<string, number>> {
  const rows = await db.many(
    Type.Object({ id: Type.String(), last_sequence: Type.Integer() }),
    sql`
    select j.id, j.last_sequence
    from unnest(
      ${jobs.map(one => one.tenant_id)}::uuid[], ${jobs.map(one => one.job_id)}::uuid[]
    ) w (tenant_id, id)
    join jobs.jobs j on j.tenant_id = w.tenant_id and j.id = w.id`,
  )
  return new Map(rows.map(row => [row.id, row.last_sequence]))
}
