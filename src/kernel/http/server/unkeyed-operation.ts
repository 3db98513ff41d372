/**
 * Outside operations and streams of requests without a key. Those that are `shared` begin and end in
 * transactions with others that arrive meanwhile.
 */
import type { Db, Tx } from '../../database/db.ts'
import type { SharedTx } from '../../database/shared-tx.ts'
import type { Fault } from '../../faults.ts'
import { newId } from '../../ids.ts'
import { Problem } from '../../errors/problem.ts'
import type { Outcome } from '../../idempotency/records.ts'
import type { StreamOperation } from '../contract/operations.ts'
import type { AnyContext } from '../contract/route.ts'
import type { EventStream } from '../streams/sse.ts'
import type { CompiledRoute } from './compile-route.ts'
import { render } from './keyed-request.ts'
import { withinTransaction } from './within-transaction.ts'

type Deps = { readonly db: Db; readonly sharedTx: SharedTx; readonly fault: Fault }

export async function unkeyedOperation(
  deps: Deps,
  compiled: CompiledRoute,
  context: AnyContext,
): Promise<Outcome> {
  const { operation, prepare } = compiled.route
  if (!operation) throw new Error(`${compiled.operation} is not an outside operation`)
  const operation_id = newId()
  const prepared = await prepare?.(context)
  const early = await txFor(
    deps,
    operation,
    'begin',
    context,
  )(tx => operation.begin({ ...withinTransaction(tx, context), operation_id, prepared }))
  if (early) return render(compiled, early)
  await deps.fault('kernel.after_operation')
  const called = await operation.call(operation_id, 'first', context.request.signal, {
    ...context,
    prepared,
  })
  await deps.fault('kernel.after_call')
  const finish = txFor(deps, operation, 'finish', context)
  const finished = await finish(tx => operation.finish(tx, operation_id, called))
  if (finished instanceof Problem) throw finished
  return render(compiled, finished)
}

export async function beginStream(
  deps: Deps,
  streaming: StreamOperation<AnyContext & { prepared: unknown }>,
  context: AnyContext,
  prepared: unknown,
): Promise<EventStream> {
  const operation_id = newId()
  await txFor(
    deps,
    streaming,
    'begin',
    context,
  )(tx => streaming.begin({ ...withinTransaction(tx, context), operation_id, prepared }))
  return await streaming.open(operation_id, 'first', context.request.signal)
}

function txFor(
  { db, sharedTx }: Deps,
  { shared }: { readonly shared?: true },
  step: 'begin' | 'finish',
  { principal }: AnyContext,
): <T>(work: (tx: Tx) => Promise<T>) => Promise<T> {
  if (!shared) return work => db.tx(work)
  const of = { group: step, tenant_id: principal?.tenant_id ?? '' }
  return work => sharedTx(of, work)
}
