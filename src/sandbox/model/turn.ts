/** One request, and the two kinds of reply, with the faults that happen during a reply. */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { FaultRule } from './faults.ts'
import type { Seen } from './requests.ts'

export type Turn = {
  readonly response: ServerResponse
  readonly seen: Seen
  readonly fault: FaultRule | undefined
  readonly config: Pace
  /** An error in the middle of a stream. */
  errorFrame(code: string, message: string): string
}

/** Milliseconds before the first event of every stream, and between deltas. */
export type Pace = { readonly ttft_ms: number; readonly delta_ms: number }

export type Frame = { readonly text: string; readonly kind: 'delta' | 'terminal' | 'other' }

const deltas_before_fault = 3
const reset_after_ms = 20
const mid_stream = [
  'body_stall',
  'stream_cut',
  'stream_reset',
  'malformed_event',
  'error_event',
] as const

export async function sendJson(turn: Turn, status: number, body: object): Promise<void> {
  const { response, fault } = turn
  if (response.destroyed) return
  if (fault?.action === 'slow') await pause(fault.ttft_ms ?? 1000)
  if (fault?.action === 'lost_response') return void response.socket?.destroy()
  const text = JSON.stringify(body)
  turn.seen.bytes_sent += text.length
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  if (fault?.action === 'malformed_event') {
    return void response.end(`${' '.repeat(Buffer.byteLength(text) - 1)}{`)
  }
  if (isMidStream(fault) && fault.action !== 'error_event') {
    response.write(text.slice(0, text.length / 2))
    return breakOff(turn, fault)
  }
  response.end(text)
}

export async function sendStream(turn: Turn, frames: Iterable<Frame>): Promise<void> {
  const { response, fault, seen, config } = turn
  if (fault?.action === 'lost_response') return void response.socket?.destroy()
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  })
  response.flushHeaders()
  const slow = fault?.action === 'slow' ? fault : null
  await waited(slow?.ttft_ms ?? config.ttft_ms)
  for (const { text, kind } of frames) {
    if (response.destroyed) return
    const due = kind === 'terminal' || (kind === 'delta' && seen.deltas_sent === afterOf(fault))
    if (due && isMidStream(fault)) return breakOff(turn, fault)
    if (kind === 'terminal' && fault?.action === 'stream_no_terminal') break
    if (
      kind === 'delta' &&
      seen.deltas_sent === fault?.after &&
      fault.action === 'stream_no_terminal'
    )
      break
    if (kind === 'delta' && seen.deltas_sent > 0) await waited(slow?.delta_ms ?? config.delta_ms)
    await written(turn, text)
    if (kind === 'terminal' && fault?.action === 'ends_twice') await written(turn, text)
    if (kind === 'delta') seen.deltas_sent++
  }
  response.end()
}

function afterOf(fault: FaultRule | undefined): number {
  return fault?.after ?? deltas_before_fault
}

function isMidStream(fault: FaultRule | undefined): fault is FaultRule {
  return mid_stream.some(one => one === fault?.action)
}

async function breakOff(turn: Turn, fault: FaultRule): Promise<void> {
  const { response } = turn
  switch (fault.action) {
    case 'stream_cut':
      // Ends the connection with a FIN in the middle of the chunked body.
      response.socket?.end()
      return
    case 'stream_reset':
      // A reset discards the data that the reader has not received yet.
      await pause(reset_after_ms)
      response.socket?.resetAndDestroy()
      return
    case 'malformed_event':
      await written(turn, 'event: response.output_text.delta\ndata: {"type": "respon\n\n')
      response.end()
      return
    case 'error_event': {
      const { code = 'server_error', message = 'The server had an error.' } = fault
      await written(turn, turn.errorFrame(code, message))
      response.end()
      break
    }
    default:
    // Sends nothing until the caller disconnects.
  }
}

async function waited(ms: number): Promise<void> {
  if (ms > 0) await pause(ms)
}

/** Waits if the reader is slower than this model. */
async function written({ response, seen }: Turn, text: string): Promise<void> {
  seen.bytes_sent += text.length
  if (response.write(text) || response.destroyed) return
  await new Promise<void>(resolve => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
