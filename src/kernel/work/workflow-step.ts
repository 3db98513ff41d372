/** What the body of a workflow sees: its steps, and the facts of its run. */
import type { Static, TSchema } from 'typebox'
import type { Db, Tx } from '../database/db.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../observability/log.ts'
import type { EventWait, JobIdentity, RunningJob, SignalWait } from './job-type.ts'

export type Step = {
  /** The effect and the step are one commit: the effect happens exactly once. */
  write<T>(name: string, effect: (tx: Tx) => Promise<T>, options?: WriteOptions<T>): Promise<T>
  /** A call outside: it happens at least once, with the same key each time. */
  run<T>(name: string, call: (call: StepCall) => Promise<T>, options?: RunOptions<T>): Promise<T>
  /** By the clock of the platform, at most 366 days. */
  sleep(name: string, time: { seconds: number } | { until: string }): Promise<void>
  /** The first event of this kind since the run was submitted that no earlier wait got, or null. */
  waitForEvent(name: string, wait: EventWait): Promise<WaitedEvent | null>
  /**
   * The oldest signal that was sent to the run under this name and that no other step has read, or
   * null. Steps that read signals of one name say `of`.
   */
  signal(name: string, wait: SignalWait): Promise<Signal | null>
  /** Another run, which ends with this one if this one is cancelled. Returns its result. */
  invoke<I extends TSchema, R extends TSchema>(
    name: string,
    workflow: Invoked<I, R>,
    input: Static<I>,
  ): Promise<Static<R>>
}

export type Invoked<I extends TSchema, R extends TSchema> = Pick<
  JobIdentity,
  'type' | 'schema_version'
> & { readonly spec: { readonly input: I; readonly result?: R } }

export type StepCall = {
  /** The same in each attempt: the idempotency key of the call. */
  readonly key: string
  readonly signal: AbortSignal
}

export type RunOptions<T> = {
  readonly retries?: number
  readonly timeout_seconds?: number
  /** Runs if the body fails for good, in the reverse order of the steps. */
  undo?(call: StepCall & { readonly result: T }): Promise<unknown>
}

export type WriteOptions<T> = {
  /** As that of `run`, in one commit with its step. */
  undo?(tx: Tx, result: T): Promise<unknown>
}

export type WaitedEvent = {
  readonly id: string
  readonly type: string
  readonly schema_version: number
  readonly aggregate_type: string
  readonly aggregate_id: string
  readonly aggregate_version: number
  readonly occurred_at: string
  readonly data: unknown
}

export type Signal = {
  readonly id: string
  readonly data: unknown
  /** Null: the platform sent it, or the account of the sender was erased. */
  readonly principal_id: string | null
}

/** The services of the kernel that a step may use. Others come from the surface itself. */
export type RunKernel = { readonly db: Db; readonly clock: Clock; readonly log: Log }

/** The run, as its body sees it. */
export type RunFacts<Needs = unknown> = Pick<RunningJob, 'id' | 'tenant_id' | 'principal_id'> & {
  readonly session_id: string | null
  readonly kernel: RunKernel
  /** The faces that its surface needs. */
  readonly needs: Needs
}

/** A step has used up its retries. The body may catch it. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: string
  readonly code: string

  constructor(step: string, code: string) {
    super(`the step ${step} has failed: ${code}`)
    this.step = step
    this.code = code
  }
}
