/** What the command line may ask of jobs: those of all tenants, by whoever operates the machine. */
import type { StateFilter, JobView } from '../schemas.ts'
import type { JobTypeView } from '../types/schemas.ts'

export type HistoryLine = {
  readonly sequence: number
  readonly type: string
  readonly data: unknown
  readonly occurred_at: string
}

export type OperatorFilter = {
  readonly tenant_id?: string
  readonly state?: StateFilter
  readonly type?: string
}

export type Operator = {
  list(filter: OperatorFilter, limit: number): Promise<JobView[]>
  /** Refused with `job_not_found` where there is none, here and below. */
  show(job_id: string): Promise<{ job: JobView; history: HistoryLine[] }>
  retry(job_id: string, actor: string): Promise<JobView>
  cancel(job_id: string, actor: string, reason: string | null): Promise<JobView>
  types(): Promise<JobTypeView[]>
}
