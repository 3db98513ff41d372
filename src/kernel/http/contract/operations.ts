/** The two kinds of work outside PostgreSQL that a route may declare: a call, and a stream. */
import type { Tx } from '../../database/db.ts'
import type { Problem } from '../../errors/problem.ts'
import type { Replies, ReplyOf } from './reply.ts'
import type { EventStream, SseEvent } from '../streams/sse.ts'

/**
 * An effect outside PostgreSQL. Only this order survives a crash between any two steps: write the
 * intent and commit; call under the operation's own id; write the outcome. After a crash `call`
 * runs again with `resumed` set. It then asks the provider for the result of that id before it
 * sends anything.
 */
export type OutsideOperation<C, R extends Replies, Outcome> = {
  /**
   * If this function returns a reply, no call is made. The reply is recorded in the same
   * transaction.
   */
  begin(
    context: C & { readonly tx: Tx; readonly operation_id: string },
  ): Promise<ReplyOf<R> | undefined>
  /**
   * Without a key, the signal is aborted when the caller disconnects. With a key, the call runs to
   * its end, because a retry will request its outcome.
   */
  call(
    operation_id: string,
    attempt: 'first' | 'resumed',
    signal: AbortSignal,
    context: C,
  ): Promise<Outcome>
  /**
   * It returns a refusal instead of throwing it, so that the changes of the refusal are committed.
   */
  finish(tx: Tx, operation_id: string, outcome: Outcome): Promise<ReplyOf<R> | Problem>
}

/**
 * A keyed stream. Its key belongs to one operation, and the stored output of that operation answers
 * every retry.
 */
export type StreamOperation<C> = {
  begin(context: C & { readonly tx: Tx; readonly operation_id: string }): Promise<void>
  /**
   * Resolves at the first byte of the upstream, so that an earlier failure can still set the
   * status.
   */
  open(
    operation_id: string,
    attempt: 'first' | 'resumed',
    signal: AbortSignal,
  ): Promise<EventStream>
  /** Replays the whole sequence from storage, without a second call. */
  again(operation_id: string): AsyncIterable<SseEvent>
  /** The URL where the state of a running operation can be read. */
  location(operation_id: string): string
}
