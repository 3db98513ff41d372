/** The rows of new runs, in the transaction that submits them. */
import { head_position, isId, sql, type JobType, type Tx } from '#dodeca/kernel'
import { valueAt } from '../reactions/event-facts.ts'

export type NewRun = {
  readonly person_id: string | null
  readonly parent_job_id: string | null
  readonly depth: number
}

/** Null for a job that is no workflow. */
export function runOf(type: JobType | undefined, parameters: unknown): NewRun | null {
  if (!type?.workflow) return null
  const { person } = type.workflow
  const found = person === undefined ? undefined : valueAt(parameters ?? {}, person)
  const person_id = typeof found === 'string' && isId(found) ? found : null
  return { person_id, parent_job_id: null, depth: 0 }
}

type Submitted = {
  readonly id: string
  readonly tenant_id: string
  readonly run: NewRun | null
}

export async function insertRuns(tx: Tx, jobs: readonly Submitted[]): Promise<void> {
  const runs = jobs.filter(one => one.run !== null)
  if (runs.length === 0) return
  await tx.run(sql`
    insert into jobs.runs (tenant_id, job_id, from_position, person_id, parent_job_id, depth)
    select g.tenant_id, g.job_id, ${head_position}, g.person_id, g.parent_job_id, g.depth
    from unnest(
      ${runs.map(one => one.tenant_id)}::uuid[],
      ${runs.map(one => one.id)}::uuid[],
      ${runs.map(({ run }) => run?.person_id ?? null)}::uuid[],
      ${runs.map(({ run }) => run?.parent_job_id ?? null)}::uuid[],
      ${runs.map(({ run }) => run?.depth ?? 0)}::smallint[]
    ) g (tenant_id, job_id, person_id, parent_job_id, depth)`)
}
