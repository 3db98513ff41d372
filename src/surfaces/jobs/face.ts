/**
 * What other surfaces may call for long work: submit it in their own commit, read it, cancel it,
 * and respect the pause of an activity with their own queue. Functions that write take the caller's
 * `tx` first.
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
  /** The newest version by default. */
  readonly schema_version?: number
  readonly parameters?: unknown
  readonly input_ref?: string
  /** Who may see it with the permission of its type; without it only administrators. */
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

/** `existing`: the key was used before, by the same order; the job is the one that it created. */
export type Submitted = { readonly id: string; readonly existing: boolean }

export type Cancelled = 'cancelled' | 'requested' | 'ended' | 'absent'

/** Whether a job can read a file; the surface that stores files provides it. */
export type FileLookup = {
  isAvailable(reader: Reader, reading: FileReader, file_id: string): Promise<boolean>
  /** A short-lived URL for an external worker; undefined if the owner may not read the file now. */
  url(reader: Reader, reading: FileReader, file_id: string): Promise<string | undefined>
}

/** The owner of a job, as the one who reads its input. */
export type FileReader = { readonly tenant_id: string; readonly principal_id: string | null }

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

/** What the operator of the machine may do with the jobs of all tenants on the command line. */
export type Operator = {
  list(filter: OperatorFilter, limit: number): Promise<JobView[]>
  /** Refused with `job_not_found` if there is none, here and below. */
  show(job_id: string): Promise<{ job: JobView; history: HistoryLine[] }>
  retry(job_id: string, actor: string): Promise<JobView>
  cancel(job_id: string, actor: string, reason: string | null): Promise<JobView>
  types(): Promise<JobTypeView[]>
}

/** What jobs need of identity: the grants of people and API keys when work runs for them. */
export type Rights = Pick<Identity, 'grantsOf' | 'recentGrantsOf'>

export type Face = {
  /** All job types of the surfaces, once every one of them is open. */
  offer(types: readonly JobType[]): void
  /** Work with its own queue that can be paused like a type. */
  activities(names: readonly string[]): void
  plugFiles(files: FileLookup): void
  submit(tx: Tx, order: JobOrder): Promise<Submitted>
  view(reader: Reader, key: JobKey): Promise<JobView | undefined>
  /** At once if it waits; if it runs, its worker is asked to stop. */
  cancel(tx: Tx, key: JobKey, reason?: string): Promise<Cancelled>
  /**
   * Called by the claim of a pausable activity before it takes anything; false while it is paused.
   * After the reply to a pause, no claim that calls this starts anything until it is resumed.
   */
  pauseFence(tx: Tx, activity: string): Promise<boolean>
  /** Resolves when every claim of the activity that called it before has ended. */
  closeFence(tx: Tx, activity: string): Promise<void>
  /** For the command line only. */
  readonly operator: Operator
}
