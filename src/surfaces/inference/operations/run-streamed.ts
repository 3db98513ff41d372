/**
 * Runs a call whose output is read while it arrives. The call is a separate task. It settles even
 * if its reader has disconnected.
 */
import type { Deps } from '../deps.ts'
import { runCall } from '../tools/loop.ts'
import type { Call } from './call.ts'
import { Pipe, type RunPiece } from './pipe.ts'
import { settleCall } from './settle-call.ts'

export type Pieces = {
  /** The next piece; undefined after `ended`. */
  next(): Promise<RunPiece | undefined>
  /** Stops reading: the call to the provider is aborted, and its usage is settled. */
  leave(): void
}

export function runStreamed(deps: Deps, call: Call, signal: AbortSignal): Pieces {
  const left = new AbortController()
  const cancelled = deps.calls.enter(call.tenant_id, call.id)
  const stop = AbortSignal.any([signal, cancelled, left.signal])
  const pipe = new Pipe(stop)
  const run = async () => {
    try {
      const result = await runCall(deps, call, stop, {
        started: model_snapshot =>
          pipe.push({ type: 'started', model_snapshot, deployment_id: call.deployment.id }),
        text: text => pipe.push({ type: 'text', text }),
        toolCall: (tool_call, sealed) => pipe.push({ type: 'tool_call', tool_call, sealed }),
        toolResult: call => pipe.push({ type: 'tool_result', result: { ...call } }),
      })
      await deps.kernel.fault('inference.before_settle')
      const settled = await deps.kernel.db.tx(tx => settleCall(tx, deps, call, result))
      await deps.kernel.fault('inference.after_settle')
      pipe.end({ type: 'ended', ending: result.ending, settled })
    } catch (error) {
      // The reaper settles it.
      deps.kernel.log.error({ operation_id: call.id, err: error }, 'a call was not settled')
      pipe.fail(error instanceof Error ? error : new Error(String(error)))
    } finally {
      deps.calls.leave(call.id)
    }
  }
  void deps.calls.keep(run())
  const leave = () => {
    left.abort()
    pipe.leave()
  }
  return { next: () => pipe.next(), leave }
}
