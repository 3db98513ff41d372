/**
 * The output of one call, on its way to one reader. Waiting texts are joined: a text is sent
 * immediately if none was sent within 20 ms, and otherwise after that time or at 1 KiB. At most 256
 * KiB wait for a slow reader. Then the writer waits, so that nothing more is read from the
 * provider.
 */
import type { Sealed, ToolCall } from '../providers/form.ts'
import type { Performable } from '../tools/steps.ts'
import type { Ending } from './call-model.ts'
import type { SettledCall } from './settle-call.ts'

export type RunPiece =
  | { readonly type: 'started'; readonly model_snapshot: string; readonly deployment_id: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_call'
      readonly tool_call: ToolCall
      readonly sealed: readonly Sealed[]
    }
  | { readonly type: 'tool_result'; readonly result: Performable }
  /** `settled` is undefined if another process has ended the call. */
  | {
      readonly type: 'ended'
      readonly ending: Ending
      readonly settled: SettledCall | undefined
    }

const waiting_max_units = 128 * 1024
const joined_ms = 20
const joined_units = 1024

/**
 * The waiting characters of all calls in this process, bounded so that slow readers cannot fill the
 * memory.
 */
let waiting_in_all = 0
export const waitingUnits = () => waiting_in_all

export class Pipe {
  private readonly queue: RunPiece[] = []
  private waiting_units = 0
  private left_ms = -Infinity
  private error: Error | undefined
  private is_ended = false
  private is_left = false
  private wakeReader: (() => void) | undefined
  private wakeWriter: (() => void) | undefined
  private readonly stop: AbortSignal

  constructor(stop: AbortSignal) {
    this.stop = stop
    // After the reader has disconnected, no room becomes free.
    stop.addEventListener('abort', () => this.wakeWriter?.(), { once: true })
  }

  async push(piece: RunPiece): Promise<void> {
    if (this.is_left) return
    const last = this.queue.at(-1)
    this.count(unitsOf(piece))
    if (piece.type === 'text' && last?.type === 'text') {
      this.queue[this.queue.length - 1] = { type: 'text', text: last.text + piece.text }
    } else {
      this.queue.push(piece)
    }
    this.wakeReader?.()
    while (this.waiting_units > waiting_max_units && !this.stop.aborted) {
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

  /** The reader has stopped reading. */
  leave(): void {
    this.is_left = true
    this.count(-this.waiting_units)
    this.queue.length = 0
  }

  async next(): Promise<RunPiece | undefined> {
    while (this.queue.length === 0 && !this.is_ended) {
      await new Promise<void>(resolve => (this.wakeReader = resolve))
    }
    await this.join()
    const piece = this.queue.shift()
    if (piece) this.count(-unitsOf(piece))
    if (piece?.type === 'text') this.left_ms = performance.now()
    this.wakeWriter?.()
    if (piece === undefined && this.error) throw this.error
    return piece
  }

  private async join(): Promise<void> {
    const left_ms = this.left_ms + joined_ms - performance.now()
    if (left_ms <= 0 || !this.mayGrow()) return
    let is_over = false
    const timer = setTimeout(() => {
      is_over = true
      this.wakeReader?.()
    }, left_ms)
    while (!is_over && this.mayGrow()) {
      await new Promise<void>(resolve => (this.wakeReader = resolve))
    }
    clearTimeout(timer)
  }

  private mayGrow(): boolean {
    return (
      !this.is_ended &&
      this.queue.length === 1 &&
      this.queue[0]?.type === 'text' &&
      this.waiting_units < joined_units
    )
  }

  private count(units: number): void {
    this.waiting_units += units
    waiting_in_all += units
  }
}

function unitsOf(piece: RunPiece): number {
  if (piece.type === 'text') return piece.text.length
  if (piece.type === 'tool_result') return piece.result.output?.length ?? 0
  return piece.type === 'tool_call' ? piece.tool_call.arguments.length : 0
}
