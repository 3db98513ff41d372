/**
 * What other surfaces may call for long work. `Face` is for all of them: submit it in their own
 * transaction, read it, cancel it. `Inside` is for the platform: also the pause of an activity with
 * a queue of its own, and files. Functions that write take the caller's `tx` first.
 */
import type { Reader, Tx } from '#dodeca/kernel'
import type { Inside as Identity } from '../identity/face.ts'
import type { JobView, StateFilter } from './schemas.ts'
import type { JobTypeView } from './types/schemas.ts'

export type { JobView } from './schemas.ts'

export type JobOrder = {
  readonly tenant_id: string
  readonly type: string
  /** If absent, the newest version is used. */
  readonly schema_version?: number
  readonly parameters?: unknown
  readonly input_ref?: string
  /**
   * The principal that may see the job with the permission of its type. Without a principal, only
   * administrators may.
   */
  readonly principal_id?: string
  /** The narrow session of the principal, whose scope the job keeps (`narrowSession`). */
  readonly session_id?: string | null
  /** The caller's own id for the job. The caller's record and the job then have the same id. */
  readonly id?: string
  /** With `operation`, forbids a second job with the same key while this job is stored. */
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

export type SignalOrder = {
  readonly tenant_id: string
  readonly job_id: string
  /** The name for which a step of the run waits. */
  readonly name: string
  readonly data?: unknown
  /** The caller's own id for the signal. The same id sends it once. */
  readonly id?: string
  /** Who sends it. Null: the platform. */
  readonly principal_id?: string | null
}

export type Dependency = {
  readonly job_id: string
  readonly required_state?: 'succeeded' | 'terminal'
}

export type JobKey = { readonly tenant_id: string; readonly job_id: string }

/** `existing`: the same order used the key before, and this is the job that it created. */
export type Submitted = { readonly id: string; readonly existing: boolean }

export type Cancelled = 'cancelled' | 'requested' | 'ended' | 'absent'

/** Whether a job can read a file. The surface that stores files provides this function. */
export type FileLookup = {
  isAvailable(reader: Reader, reading: FileReader, file_id: string): Promise<boolean>
  /** A short-lived URL for an external worker. Undefined if the owner may not read the file now. */
  url(reader: Reader, reading: FileReader, file_id: string): Promise<string | undefined>
}

/** The owner of a job. The job's input is read with the owner's rights. */
type FileReader = {
  readonly tenant_id: string
  readonly principal_id: string | null
  readonly session_id: string | null
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

/**
 * The actions on the jobs of all tenants that the command line offers to the operator of the
 * machine.
 */
export type Operator = {
  list(filter: OperatorFilter, limit: number): Promise<JobView[]>
  /** Throws `job_not_found` if there is no such job. This holds for the functions below too. */
  show(job_id: string): Promise<{ job: JobView; history: HistoryLine[] }>
  retry(job_id: string, actor: string): Promise<JobView>
  cancel(job_id: string, actor: string, reason: string | null): Promise<JobView>
  types(): Promise<JobTypeView[]>
}

/**
 * The part of identity that jobs needs: the grants of the people and API keys for whom work runs, and
 * whether the tenant of a signed URL is active.
 */
export type Rights = Pick<Identity, 'grantsOf' | 'isOpen' | 'recentGrantsOf'>

export type Face = {
  /**
   * With `id`, the same order twice is one job, and another order with the id is refused with
   * `idempotency_key_reused`.
   */
  submit(tx: Tx, order: JobOrder): Promise<Submitted>
  /**
   * Sends a signal to a workflow, which keeps it until a step reads it. Throws `invalid_transition`
   * after the end of the run.
   */
  signal(tx: Tx, order: SignalOrder): Promise<{ readonly id: string }>
  view(reader: Reader, key: JobKey): Promise<JobView | undefined>
  /** A waiting job is cancelled immediately. For a running job, its worker is asked to stop. */
  cancel(tx: Tx, key: JobKey, reason?: string): Promise<Cancelled>
}

export type Inside = Face & {
  /** Work with its own queue that can be paused like a type. */
  activities(names: readonly string[]): void
  plugFiles(files: FileLookup): void
  /**
   * The claim of a pausable activity calls this before it takes anything. It returns false while
   * the activity is paused. After the reply to a pause, no such claim starts anything until the
   * activity is resumed.
   */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
  /** Resolves when every earlier claim of the activity has ended. */
  closeFence(tx: Tx, activity: string): Promise<void>
  /** For the command line only. */
  readonly operator: Operator
}
