/**
 * A stream under an Idempotency-Key. The key is bound to one operation before the first byte. A
 * retry of a finished stream gets the whole sequence again from storage. A retry of a running
 * stream gets the address of its state. If the process of the stream died, a retry takes over the
 * same operation id.
 */
import type { Db, Tx } from '../database/db.ts'
import { violates } from '../database/failures.ts'
import type { Fault } from '../faults.ts'
import { problem } from '../errors/problem.ts'
import { newId } from '../ids.ts'
import { keepLease, type KeptLease } from './keep-lease.ts'
import {
  endLease,
  lookUp,
  recordFinish,
  recordStart,
  sameRequest,
  takeOver,
  type KeyedScope,
  type RecordRules,
} from './records.ts'

/** An event of a stream. No event follows the terminal one. */
type StreamEvent = { readonly terminal?: true }
type Events<E> = AsyncIterable<E> & { ending?(code: never): E }

export type KeyedStream<E extends StreamEvent> = {
  readonly scope: KeyedScope
  readonly rules: RecordRules
  readonly lease_seconds: number
  readonly operation: {
    open(
      operation_id: string,
      attempt: 'first' | 'resumed',
      signal: AbortSignal,
    ): Promise<Events<E>>
    again(operation_id: string): AsyncIterable<E>
    location(operation_id: string): string
  }
  prepare?(): Promise<void>
  begin(tx: Tx, operation_id: string): Promise<void>
  readonly signal: AbortSignal
}

export type OpenedStream<E extends StreamEvent> = {
  readonly events: Events<E>
  /** The stream is replayed from storage. */
  readonly replayed: boolean
}

type Found = { operation_id: string; how: 'first' | 'resumed' | 'again' }
type Deps = { readonly db: Db; readonly fault: Fault }

export async function openKeyedStream<E extends StreamEvent>(
  deps: Deps,
  stream: KeyedStream<E>,
): Promise<OpenedStream<E>> {
  const lease = { lease_token: newId(), lease_seconds: stream.lease_seconds }
  await stream.prepare?.()
  const { operation_id, how } = await find(deps, stream, lease)
  if (how === 'again') return { events: stream.operation.again(operation_id), replayed: true }
  const held = keepLease(deps.db, stream.scope, lease)
  try {
    await deps.fault('kernel.after_operation')
    const signal = AbortSignal.any([stream.signal, held.lost])
    const events = await stream.operation.open(operation_id, how, signal)
    const kept = recording(deps, stream, lease.lease_token, operation_id, events, held)
    const ending = events.ending?.bind(events)
    return { events: ending ? Object.assign(kept, { ending }) : kept, replayed: false }
  } catch (error) {
    held.end()
    // No byte was sent yet. So the failure sets the status, and the next retry may start
    // immediately.
    await deps.db.run(endLease(stream.scope, lease.lease_token)).catch(() => {})
    throw error
  }
}

async function find(
  deps: Deps,
  stream: KeyedStream<StreamEvent>,
  lease: { lease_token: string; lease_seconds: number },
): Promise<Found> {
  try {
    return await deps.db.tx(tx => findIn(tx, stream, lease))
  } catch (error) {
    if (violates(error, 'idempotency_records_pkey')) return await find(deps, stream, lease)
    throw error
  }
}

async function findIn(
  tx: Tx,
  { scope, rules, operation, begin }: KeyedStream<StreamEvent>,
  lease: { lease_token: string; lease_seconds: number },
): Promise<Found> {
  const record = await lookUp(tx, scope)
  if (record.state === null) {
    if (!record.locked) throw running()
    const operation_id = newId()
    await begin(tx, operation_id)
    tx.atCommit(recordStart(scope, { id: operation_id, ...lease }, rules))
    return { operation_id, how: 'first' }
  }
  if (!sameRequest(record, scope)) throw problem('idempotency_key_reused')
  const operation_id = record.operation_id ?? ''
  if (record.state === 'completed') return { operation_id, how: 'again' }
  const taken = !record.leased && (await tx.run(takeOver(scope, lease))) === 1
  if (!taken) throw running(operation.location(operation_id))
  return { operation_id, how: 'resumed' }
}

function running(location?: string) {
  return problem('idempotency_in_progress', {
    retry_after: 1,
    ...(location ? { headers: { location } } : {}),
  })
}

/**
 * The record is complete before the reader gets the terminal event. A stream that ends early only
 * releases the lease.
 */
async function* recording<E extends StreamEvent>(
  { db }: Deps,
  { scope, rules, operation }: KeyedStream<E>,
  lease_token: string,
  operation_id: string,
  events: AsyncIterable<E>,
  held: KeptLease,
): AsyncGenerator<E> {
  let ended = false
  try {
    for await (const event of events) {
      if (event.terminal) {
        const headers = { location: operation.location(operation_id) }
        await db.run(recordFinish(scope, lease_token, { status: 200, headers, body: null }, rules))
        ended = true
      }
      yield event
    }
  } finally {
    held.end()
    if (!ended) await db.run(endLease(scope, lease_token)).catch(() => {})
  }
}
