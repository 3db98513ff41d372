/** Long work of a surface as the jobs surface runs it: the contract of its types. */
import type { TSchema } from 'typebox'
import type { Tx } from '../database/db.ts'

/**
 * Long work of a surface. The jobs surface runs it under a lease, and again after a crash, until it
 * ends. The hooks run inside the transaction that ends or resumes the job. So the surface's own
 * record changes in the same transaction.
 */
export type JobType = {
  /** `<surface>.<what>` */
  readonly type: string
  readonly schema_version: number
  readonly parameters: TSchema
  readonly result?: TSchema
  /**
   * Whether callers may submit jobs of this type with `POST /v1/jobs`. Otherwise only the type's
   * own surface submits them.
   */
  readonly offered?: true
  /** What a submitter needs to see, cancel and fetch it, and to have at the start of each attempt. */
  readonly permission?: string
  /** The platform's own work: it begins although its submitter has lost the permission. */
  readonly outlives_owner?: true
  readonly lease_seconds?: number
  readonly timeout_seconds?: number
  readonly max_attempts?: number
  readonly backoff?: { readonly base_ms: number; readonly cap_ms: number }
  readonly tenant_max_running?: number
  /**
   * The returned value becomes the job's result. A thrown `JobFailure` says whether a retry makes
   * sense.
   */
  run(job: RunningJob): Promise<unknown>
  ended?(tx: Tx, job: EndedJob): Promise<void>
  reopened?(tx: Tx, job: JobIdentity): Promise<void>
}

export type JobIdentity = {
  readonly id: string
  readonly tenant_id: string
  readonly type: string
  readonly schema_version: number
}

export type EndedJob = JobIdentity & {
  readonly state: 'succeeded' | 'failed' | 'cancelled' | 'expired'
  readonly error_code: string | null
}

/**
 * One attempt, as its handler sees it. Its lease is checked for everything that it writes by
 * `commit`.
 */
export type RunningJob = JobIdentity & {
  /** For whom it runs: the nil UUID for work of the platform itself. */
  readonly principal_id: string
  /** The narrow session of the principal, whose scope the work keeps. */
  readonly session_id: string | null
  readonly attempt_no: number
  readonly parameters: unknown
  /** The checkpoint that an earlier attempt saved with its progress, or null. */
  readonly checkpoint: unknown
  /** Aborted when the job is cancelled or expires, or when the lease is lost. */
  readonly signal: AbortSignal
  progress(step: JobStep): Promise<void>
  /**
   * Ends this attempt by throwing. The job continues after this many seconds from its last
   * checkpoint, and uses no capacity meanwhile. This does not count as a failure.
   */
  again(after_seconds: number): never
  /** Writes the handler's own rows, checks the lease and ends the job, all in one transaction. */
  commit(effect: (tx: Tx) => Promise<unknown>): Promise<void>
  /**
   * Stores bytes as the job's result, for a handler that returns nothing. The last bytes stored are
   * the result.
   */
  store(media_type: string, bytes: Uint8Array): Promise<void>
  /** Reports the resources that the job has used. The job's view shows them. */
  usage(usage: Readonly<Record<string, unknown>>): Promise<void>
}

export type JobStep = {
  readonly stage: string
  readonly current: number
  readonly total?: number
  readonly message_code?: string
  readonly checkpoint?: unknown
}
