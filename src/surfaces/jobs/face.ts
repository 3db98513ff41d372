/**
 * What other surfaces ask of long work: hand it over in their own commit, see it, cancel it, and keep to
 * the pause of an activity whose queue is their own. Functions that write take the caller's `tx` first.
 */
import type { Reader, Tx } from '../../kernel/database/db.ts'
import type { JobType } from '../../kernel/surface.ts'
import type { Face as Identity } from '../identity/face.ts'
import type { JobView, StateFilter } from './schemas.ts'
import type { JobTypeView } from './types/schemas.ts'

export type { JobView } from './schemas.ts'

export type JobOrder = {
  readonly tenant_id: string
  readonly type: string
  /** The newest, where it is not given. */
  readonly schema_version?: number
  readonly parameters?: unknown
  readonly input_ref?: string
  /** Who may see it with the permission of its type; nobody but administrators where it is left out. */
  readonly principal_id?: string
  /** The caller's own id for it, so that its record and the job share one. */
  readonly id?: string
  /** With `operation`, forbids a second job for the same key as long as this one is kept. */
  readonly idempotency_key?: string
  readonly operation?: string
  readonly request_fingerprint?: Buffer
  readonly priority?: number
  readonly scheduled_at?: string
  readonly deadline_at?: string
  readonly max_attempts?: number
  readonly depends_on?: readonly Dependency[]
  readonly retry_of_job_id?: string
}

export type Dependency = {
  readonly job_id: string
  readonly required_state?: 'succeeded' | 'terminal'
}

export type JobKey = { readonly tenant_id: string; readonly job_id: string }

/** `existing`: the key was used before, by this very order; the job is the one that it made. */
export type Submitted = { readonly id: string; readonly existing: boolean }

export type Cancelled = 'cancelled' | 'requested' | 'ended' | 'absent'

/** Whether a file is there to be read by a job; plugged in by whoever keeps files. */
export type FileLookup = {
  isAvailable(
    reader: Reader,
    principal: { readonly tenant_id: string; readonly principal_id: string | null },
    file_id: string,
  ): Promise<boolean>
  /** Where a worker outside fetches it, for a short while. */
  url(tenant_id: string, file_id: string): Promise<string | undefined>
}

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

/** What the operator of the machine may do with the jobs of all tenants, by the command line. */
export type Operator = {
  list(filter: OperatorFilter, limit: number): Promise<JobView[]>
  /** Refused with `job_not_found` where there is none, here and below. */
  show(job_id: string): Promise<{ job: JobView; history: HistoryLine[] }>
  retry(job_id: string, actor: string): Promise<JobView>
  cancel(job_id: string, actor: string, reason: string | null): Promise<JobView>
  types(): Promise<JobTypeView[]>
}

/** What jobs need of identity: what people and API keys hold when work is done for them. */
export type Rights = Pick<Identity, 'grantsOf' | 'recentGrantsOf'>

export type Face = {
  /** All job types of the surfaces, once every one of them is open. */
  offer(types: readonly JobType[]): void
  /** Work with a queue of its own that can be paused like a type. */
  activities(names: readonly string[]): void
  plugFiles(files: FileLookup): void
  submit(tx: Tx, order: JobOrder): Promise<Submitted>
  view(reader: Reader, key: JobKey): Promise<JobView | undefined>
  /** At once where it waits; where it runs, its worker is told. */
  cancel(tx: Tx, key: JobKey, reason?: string): Promise<Cancelled>
  /**
   * Called by the claim of a pausable activity before it takes anything; false while it is paused. Once a
   * pause was answered, no claim that asks here starts anything until it is resumed.
   */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
  /** Returns when every claim of the activity that asked before has ended. */
  closeFence(tx: Tx, activity: string): Promise<void>
  /** For the command line only. */
  readonly operator: Operator
}
