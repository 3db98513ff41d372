/**
 * A call whose caller waits for the whole output, as an outside operation of the kernel. `begin`
 * commits the reservation and the first attempt, `call` calls the model, and `finish` settles in
 * the transaction of the reply. A failure that a retry may resolve is settled immediately and not
 * recorded as an outcome: the same key runs the operation again.
 */
import { Problem, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem, type InferenceCode } from '../errors.ts'
import { runCall } from '../tools/loop.ts'
import { isBlocked, type Call } from './call.ts'
import type { Result } from './call-model.ts'
import { createCall } from './create-call.ts'
import type { CallDraft } from './draft-call.ts'
import type { OperationRow } from './read-operation.ts'
import { no_sink } from './reading.ts'
import { resumeCall } from './resume-call.ts'
import { isRetryable, problemOf, settleCall, type SettledCall } from './settle-call.ts'

/** The data that `call` passes to `finish`. */
export type Called =
  | { readonly call: Call; readonly result: Result }
  | { readonly blocked: true }
  /** It had ended before. */
  | { readonly ended: OperationRow }

export type Finished = SettledCall | { readonly ended: OperationRow }

type Begun = {
  readonly tx: Tx
  readonly operation_id: string
  readonly prepared: CallDraft
}

/** `rendered` makes the reply of a call that succeeded. */
export function blockingCalls<View>(
  rendered: (reader: Reader, done: Finished, deps: Deps) => Promise<View>,
) {
  return {
    begin: async (context: Begun, deps: Deps): Promise<undefined> => {
      await beginCall(context, deps)
    },
    call: async (
      id: string,
      _attempt: 'first' | 'resumed',
      signal: AbortSignal,
      _context: unknown,
      deps: Deps,
    ): Promise<Called> => {
      const taken = await takeCall(id, deps)
      if ('ended' in taken) return taken
      if (isBlocked(taken.call)) return { blocked: true }
      return await deps.calls.keep(run(deps, taken.call, signal))
    },
    finish: async (tx: Tx, _id: string, called: Called, deps: Deps): Promise<View | Problem> => {
      const finished = await finish(tx, deps, called)
      return finished instanceof Problem ? finished : await rendered(tx, finished, deps)
    },
  }
}

export async function beginCall({ tx, operation_id, prepared }: Begun, deps: Deps): Promise<void> {
  const call = await createCall(tx, deps, prepared, { id: operation_id })
  tx.afterCommit(() => void deps.calls.begun.set(call.id, call))
}

/** The call that this request has begun, or that an earlier process left. */
export async function takeCall(id: string, deps: Deps) {
  const { begun } = deps.calls
  const call = begun.get(id)
  begun.delete(id)
  return call ? { call } : await resumeCall(deps, id)
}

async function run(deps: Deps, call: Call, signal: AbortSignal): Promise<Called> {
  const { calls, kernel } = deps
  const cancelled = calls.enter(call.tenant_id, call.id)
  try {
    const result = await runCall(deps, call, AbortSignal.any([signal, cancelled]), no_sink)
    if (!isRetryable(result.ending)) return { call, result }
    await kernel.db.tx(tx => settleCall(tx, deps, call, result))
    if (result.ending.state === 'succeeded') throw new Error('a success is not retried')
    throw problemOf(result.ending)
  } finally {
    calls.leave(call.id)
  }
}

/** A problem is an outcome: it is committed together with the usage. */
async function finish(tx: Tx, deps: Deps, called: Called): Promise<Finished | Problem> {
  if ('blocked' in called) return problem('content_blocked')
  if ('ended' in called) {
    const { ended } = called
    return ended.state === 'succeeded' ? called : problemOfRow(ended)
  }
  const { call, result } = called
  await deps.kernel.fault('inference.before_settle')
  const settled = await settleCall(tx, deps, call, result)
  // The reaper was first, because the process was suspended for longer than its lease.
  if (!settled) throw problem('service_unavailable', { retry_after: 1 })
  return result.ending.state === 'succeeded' ? settled : problemOf(result.ending)
}

/** The problem of an operation that ended without success. */
export function problemOfRow({ error_code }: OperationRow): Problem {
  return problem((error_code ?? 'service_unavailable') as InferenceCode)
}
