/** What a keyed request does: inside the transaction of its record, or outside of it. */
import type { Tx } from '../database/db.ts'
import type { Problem } from '../errors/problem.ts'
import type { KeyedScope, Outcome, RecordRules } from './records.ts'

/** The functions that run one keyed request. The outcome is returned as final bytes. */
export type KeyedWork = {
  readonly scope: KeyedScope
  /**
   * The scope with the fingerprint of a body that is streamed, once the body was read to its end.
   * Null if it was not. Until then `scope` has the fingerprint of everything else.
   */
  whole?(): Promise<KeyedScope | null>
  readonly rules: RecordRules
  /** Returns true for a refusal from the handler. A retry gets the same refusal. */
  isRecordable(refusal: Problem): boolean
  refuse(refusal: Problem): Outcome
  /** The refusal as this request gets it again. */
  refuseAgain(refused: Outcome): Outcome
  /** Renders a replay of an outcome whose body was not stored. */
  again(outcome: Outcome, resource_ref: string): Promise<Outcome>
  readonly effect: InsideEffect | OutsideEffect
}

export type InsideEffect = { prepare?(): Promise<void>; run(tx: Tx): Promise<Outcome> }

export type OutsideEffect = {
  readonly lease_seconds: number
  prepare?(): Promise<void>
  /** If this returns an outcome, the operation ends before any call is made. */
  begin(tx: Tx, operation_id: string): Promise<Outcome | undefined>
  /** `lost` is aborted when another attempt has taken over the operation. */
  call(operation_id: string, attempt: 'first' | 'resumed', lost: AbortSignal): Promise<unknown>
  finish(tx: Tx, operation_id: string, called: unknown): Promise<Outcome>
}
