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
  /** Of a workflow, whose steps are kept (`workflow`). */
  readonly workflow?: WorkflowFacts
  ended?(tx: Tx, job: EndedJob): Promise<void>
  reopened?(tx: Tx, job: JobIdentity): Promise<void>
}

export type WorkflowFacts = {
  /** Runs without a principal are refused, because the permission is asked at each attempt. */
  readonly checked: boolean
  /** A JSON pointer into the input: the account whom the run is about. */
  readonly person?: string
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
  /** Whether the job ends if this attempt fails. */
  readonly is_last: boolean
  readonly parameters: unknown
  /** The steps of a workflow. */
  readonly steps: StepLog
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

export type StepKind = 'write' | 'run' | 'sleep' | 'event' | 'signal' | 'invoke' | 'undo'

/** A step as it is stored. `waiting` and `retrying` are not over. */
export type StoredStep = {
  readonly name: string
  readonly kind: StepKind
  readonly state: 'waiting' | 'retrying' | 'done' | 'failed' | 'timed_out'
  readonly attempts: number
  readonly result: unknown
  readonly error_code: string | null
  readonly until: string | null
  /** Whether `until` has passed. */
  readonly is_due: boolean
}

export type StepFailure = {
  readonly code: string
  /** Null if the step is not tried again. */
  readonly retry_after_seconds: number | null
}

export type EventWait = {
  readonly type: string
  /** Values by JSON pointers into the event, such as `/aggregate_id` and `/data/order_id`. */
  readonly where?: Readonly<Record<string, unknown>>
  readonly timeout_seconds: number
}

export type SignalWait = {
  readonly timeout_seconds: number
  /** The name of the signal, if it is not that of the step. */
  readonly of?: string
}

export type ChildOrder = JobIdentityOf & { readonly input: unknown }
type JobIdentityOf = Pick<JobIdentity, 'type' | 'schema_version'>

/**
 * The stored steps of one run. Each function needs the lease of the attempt, and throws without it.
 * `known` is the step as it was stored before, if it was.
 */
export type StepLog = {
  load(): Promise<{
    readonly steps: readonly StoredStep[]
    readonly undoing: string | null
    /** The same in each attempt; another one after a retry of what was undone. */
    readonly round: number
  }>
  /** The effect and the step in one commit. */
  write(
    kind: 'write' | 'undo',
    name: string,
    effect: (tx: Tx) => Promise<unknown>,
    known: StoredStep | undefined,
  ): Promise<StoredStep>
  done(kind: 'run' | 'undo', name: string, attempts: number, result: unknown): Promise<StoredStep>
  failed(kind: StepKind, name: string, attempts: number, why: StepFailure): Promise<StoredStep>
  sleep(
    name: string,
    time: { readonly seconds: number } | { readonly until: string },
    known: StoredStep | undefined,
  ): Promise<StoredStep>
  event(name: string, wait: EventWait, known: StoredStep | undefined): Promise<StoredStep>
  signal(name: string, wait: SignalWait, known: StoredStep | undefined): Promise<StoredStep>
  invoke(name: string, order: ChildOrder, known: StoredStep | undefined): Promise<StoredStep>
  /** The body has failed for good. `step` is the step whose failure ended it. */
  failing(why: {
    readonly code: string
    readonly step: string | null
    readonly undoing: boolean
  }): Promise<void>
}
