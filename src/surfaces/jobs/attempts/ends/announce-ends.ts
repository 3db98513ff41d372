/**
 * The consequences when jobs end, in the same transaction: one completion event for each job, the
 * hook of the surface that owns the work, and the jobs that waited for it.
 */
import type { EndedJob, Tx } from '#dodeca/kernel'
import type { JobState } from '../../schemas.ts'

export type JobEnd = EndedJob & {
  readonly version: number
  readonly attempt_count: number
  readonly has_result: boolean
  readonly has_dependents: boolean
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string
  readonly traceparent: string | null
}

export type EndListeners = {
  /** The hook of a built-in type, or undefined. */
  ended(job: EndedJob): ((tx: Tx, job: EndedJob) => Promise<void>) | undefined
  /**
   * Releases or fails the jobs that waited for these. For jobs that it ends, it emits the events
   * itself.
   */
  settleDependents(
    tx: Tx,
    ended: readonly { readonly tenant_id: string; readonly id: string; readonly state: JobState }[],
  ): Promise<void>
}

export async function announceEnds(
  listeners: EndListeners,
  tx: Tx,
  ends: readonly JobEnd[],
): Promise<void> {
  for (const end of ends) emitEnd(tx, end)
  for (const end of ends) {
    const { id, tenant_id, type, schema_version, state, error_code } = end
    const job: EndedJob = { id, tenant_id, type, schema_version, state, error_code }
    await listeners.ended(job)?.(tx, job)
  }
  const awaited = ends.filter(one => one.has_dependents)
  if (awaited.length > 0) await listeners.settleDependents(tx, awaited)
}

function endedByAttempt({ state, started_at }: JobEnd): boolean {
  return started_at !== null && (state === 'succeeded' || state === 'failed')
}

function emitEnd(tx: Tx, end: JobEnd): void {
  tx.emit({
    type: `job.${end.state}`,
    tenant_id: end.tenant_id,
    aggregate_type: 'job',
    aggregate_id: end.id,
    aggregate_version: end.version,
    traceparent: end.traceparent,
    written_by: endedByAttempt(end) ? `run ${end.type}` : null,
    data: {
      job_id: end.id,
      type: end.type,
      schema_version: end.schema_version,
      state: end.state,
      error_code: end.error_code,
      attempt_count: end.attempt_count,
      has_result: end.has_result,
      created_at: end.created_at,
      started_at: end.started_at,
      completed_at: end.completed_at,
    },
  })
}
