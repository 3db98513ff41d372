/** The job types of inference. Their parameters contain only the operation's id. */
import { Type } from 'typebox'
import { closed, Id, type JobType, type RequestKey } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { runReport } from '../reports/run-report.ts'
import { endWithJob, reopenWithJob } from './end-with-job.ts'
import { runInJob } from './run-in-job.ts'

export const run_type = 'inference.run'
export const report_type = 'generation.report'
const Parameters = closed({ operation_id: Id })
const Result = Type.Object({ operation_id: Id })
const hour_seconds = 3600

/**
 * The key of the request, as the job shows it. The kernel returns the recorded reply to a repeated
 * request, so the key of the job forbids nothing itself.
 */
export const shownKey = (key: RequestKey | null, job_id: string) =>
  key ? { idempotency_key: key.value, operation: `submit ${job_id}` } : {}

export function jobTypes(deps: Deps): readonly JobType[] {
  const operationOf = (parameters: unknown) => (parameters as { operation_id: string }).operation_id
  const usual = {
    schema_version: 1,
    parameters: Parameters,
    timeout_seconds: hour_seconds,
    max_attempts: 4,
    tenant_max_running: 16,
    ended: endWithJob,
    reopened: reopenWithJob,
  } as const
  return [
    {
      ...usual,
      type: run_type,
      permission: 'inference.jobs.create',
      result: Result,
      run: job => runInJob(deps, job, operationOf(job.parameters)),
    },
    {
      ...usual,
      type: report_type,
      permission: 'inference.reports.create',
      run: job => runReport(deps, job, operationOf(job.parameters)),
    },
  ]
}
