/**
 * A call whose caller waits for the whole output, as an outside operation of the kernel. `begin`
 * commits the reservation and the first attempt, `call` calls the model, and `finish` settles in
 * the transaction of the reply. A failure that a retry may resolve is settled immediately and not
 * recorded as an outcome: the same key runs the operation again.
 */
import type { Tx } from '../../../kernel/database/db.ts'
import type { Problem } from '../../../kernel/errors/problem.ts'
import type { Deps } from '../deps.ts'
import { problem, type InferenceCode } from '../errors.ts'
import { isBlocked, type Call } from './call.ts'
import { callModel, type Result } from './call-model.ts'
import { createCall } from './create-call.ts'
import type { CallDraft } from './draft-call.ts'
import type { OperationRow } from './read-operation.ts'
import { resumeCall } from './resume-call.ts'
import { isRetryable, problemOf, settleCall, type SettledCall } from './settle-call.ts'

/** The data that `call` passes to `finish`. */
export type Called =
  | { readonly call: Call; readonly result: Result }
  | { readonly blocked: true }
  /** It had ended before. */
  | { readonly ended: OperationRow }

export type Finished = SettledCall | { readonly ended: OperationRow }

export class BlockingCalls {
  private readonly deps: Deps
  /** Between `begin` and `call`. */
  private readonly begun = new Map<string, Call>()

  constructor(deps: Deps) {
    this.deps = deps
  }

  async begin(tx: Tx, draft: CallDraft, id: string): Promise<void> {
    const call = await createCall(tx, this.deps, draft, { id })
    tx.afterCommit(() => void this.begun.set(call.id, call))
  }

  async call(id: string, signal: AbortSignal): Promise<Called> {
    const begun = this.begun.get(id)
    this.begun.delete(id)
    const resumed = begun ? { call: begun } : await resumeCall(this.deps, id)
    if ('ended' in resumed) return resumed
    const { call } = resumed
    if (isBlocked(call)) return { blocked: true }
    return await this.deps.calls.keep(this.run(call, signal))
  }

  private async run(call: Call, signal: AbortSignal): Promise<Called> {
    const { calls, kernel } = this.deps
    const cancelled = calls.enter(call.tenant_id, call.id)
    try {
      const result = await callModel(this.deps, call, AbortSignal.any([signal, cancelled]), {
        started: async () => {},
        text: async () => {},
      })
      if (!isRetryable(result.ending)) return { call, result }
      await kernel.db.tx(tx => settleCall(tx, this.deps, call, result))
      if (result.ending.state === 'succeeded') throw new Error('a success is not retried')
      throw problemOf(result.ending)
    } finally {
      calls.leave(call.id)
    }
  }

  /** A problem is an outcome: it is committed together with the usage. */
  async finish(tx: Tx, called: Called): Promise<Finished | Problem> {
    if ('blocked' in called) return problem('content_blocked')
    if ('ended' in called) {
      const { ended } = called
      return ended.state === 'succeeded' ? called : problemOfRow(ended)
    }
    const { call, result } = called
    await this.deps.kernel.fault('inference.before_settle')
    const settled = await settleCall(tx, this.deps, call, result)
    // The reaper was first, because the process was suspended for longer than its lease.
    if (!settled) throw problem('service_unavailable', { retry_after: 1 })
    return result.ending.state === 'succeeded' ? settled : problemOf(result.ending)
  }
}

/** The problem of an operation that ended without success. */
export function problemOfRow({ error_code }: OperationRow): Problem {
  return problem((error_code ?? 'service_unavailable') as InferenceCode)
}
