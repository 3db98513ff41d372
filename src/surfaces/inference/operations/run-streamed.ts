/**
 * Runs a call whose output is read as it comes. The call is a task of its own: it settles although its reader
 * has left, and at most 256 KiB wait for a reader that is slow.
 */
import type { Deps } from '../deps.ts'
import type { Call } from './call.ts'
import { callModel, type Ending } from './call-model.ts'
import { settleCall, type SettledCall } from './settle-call.ts'

export type RunPiece =
  | { readonly type: 'started'; readonly model_snapshot: string; readonly deployment_id: string }
  | { readonly type: 'text'; readonly text: string }
  /** `settled` is undefined if another process has ended the call. */
  | {
      readonly type: 'ended'
      readonly ending: Ending
      readonly settled: SettledCall | undefined
    }

export type Pieces = {
  /** The next piece; undefined after `ended`. */
  next(): Promise<RunPiece | undefined>
  /** Nothing is read any more: the provider is left, and what was used is settled. */
  leave(): void
}

const waiting_max_units = 128 * 1024

export function runStreamed(deps: Deps, call: Call, signal: AbortSignal): Pieces {
  const left = new AbortController()
  const cancelled = deps.calls.enter(call.tenant_id, call.id)
  const stop = AbortSignal.any([signal, cancelled, left.signal])
  const pipe = new Pipe(stop)
  const run = async () => {
    try {
      const result = await callModel(deps, call, stop, {
        started: model_snapshot =>
          pipe.push({ type: 'started', model_snapshot, deployment_id: call.deployment.id }),
        text: text => pipe.push({ type: 'text', text }),
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
  return { next: () => pipe.next(), leave: () => left.abort() }
}

/** A queue of one writer and one reader; texts that wait are joined. */
class Pipe {
  private readonly queue: RunPiece[] = []
  private waiting_units = 0
  private error: Error | undefined
  private is_ended = false
  private wakeReader: (() => void) | undefined
  private wakeWriter: (() => void) | undefined

  constructor(stop: AbortSignal) {
    // A reader that has left makes no room any more.
    stop.addEventListener('abort', () => this.wakeWriter?.(), { once: true })
    this.isStopped = () => stop.aborted
  }

  private readonly isStopped: () => boolean

  async push(piece: RunPiece): Promise<void> {
    const last = this.queue.at(-1)
    if (piece.type === 'text') this.waiting_units += piece.text.length
    if (piece.type === 'text' && last?.type === 'text') {
      this.queue[this.queue.length - 1] = { type: 'text', text: last.text + piece.text }
    } else {
      this.queue.push(piece)
    }
    this.wakeReader?.()
    while (this.waiting_units > waiting_max_units && !this.isStopped()) {
      await new Promise<void>(resolve => (this.wakeWriter = resolve))
    }
  }

  end(piece: RunPiece): void {
    this.queue.push(piece)
    this.is_ended = true
    this.wakeReader?.()
  }

  fail(error: Error): void {
    this.error = error
    this.is_ended = true
    this.wakeReader?.()
  }

  async next(): Promise<RunPiece | undefined> {
    while (this.queue.length === 0 && !this.is_ended) {
      await new Promise<void>(resolve => (this.wakeReader = resolve))
    }
    const piece = this.queue.shift()
    if (piece?.type === 'text') this.waiting_units -= piece.text.length
    this.wakeWriter?.()
    if (piece === undefined && this.error) throw this.error
    return piece
  }
}
