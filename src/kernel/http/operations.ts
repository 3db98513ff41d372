/** The two kinds of work outside PostgreSQL that a route may declare: a call, and a stream. */
import type { Tx } from '../database/db.ts'
import type { Problem } from '../errors/problem.ts'
import type { Replies, ReplyOf } from './reply.ts'
import type { EventStream, SseEvent } from './sse.ts'

/**
 * An effect outside PostgreSQL, in the only order that survives a crash between any two steps:
 * write the intent and commit; call under the operation's own id; write the outcome. After a crash
 * `call` runs again as `resumed`: it asks the provider for the result of that id before it sends
 * anything.
 */
export type OutsideOperation<C, R extends Replies, Outcome> = {
  /** A reply means that no call is needed: it is recorded in the same commit. */
  begin(
    context: C & { readonly tx: Tx; readonly operation_id: string },
  ): Promise<ReplyOf<R> | undefined>
  /**
   * The signal of a call without a key is aborted when the caller disconnects; a keyed one runs to
   * its end, because the retry asks for its outcome.
   */
  call(operation_id: string, attempt: 'first' | 'resumed', signal: AbortSignal): Promise<Outcome>
  /** A refusal is returned, not thrown: the changes that belong to it commit with it. */
  finish(tx: Tx, operation_id: string, outcome: Outcome): Promise<ReplyOf<R> | Problem>
}

/** A keyed stream: its key binds to one operation, whose stored output answers every retry. */
export type StreamOperation<C> = {
  begin(context: C & { readonly tx: Tx; readonly operation_id: string }): Promise<void>
  /** Resolves at the first byte of the upstream, so that an earlier failure is still a status. */
  open(
    operation_id: string,
    attempt: 'first' | 'resumed',
    signal: AbortSignal,
  ): Promise<EventStream>
  /** The whole sequence again from storage, without a second call. */
  again(operation_id: string): AsyncIterable<SseEvent>
  /** Where the state of a running operation can be read. */
  location(operation_id: string): string
}
