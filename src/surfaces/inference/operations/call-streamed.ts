/**
 * A call whose output is streamed, as a keyed stream of the kernel. If a process died or a reader
 * left, a retry continues the call. If the call has ended, the retry gets the stored text as one
 * piece, and the same ending.
 */
import { sql, type EndingCode, type EventStream, type SseEvent } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Sealed, ToolCall } from '../providers/form.ts'
import type { Performable, Step } from '../tools/steps.ts'
import { readActed } from './answer.ts'
import { isBlocked, type Call, type Parameters } from './call.ts'
import { readContent, readOutput, type Content, type Output } from './contents.ts'
import { readOperation, type OperationRow } from './read-operation.ts'
import type { RunPiece } from './pipe.ts'
import { runStreamed, type Pieces } from './run-streamed.ts'
import { problemOf, type SettledCall } from './settle-call.ts'
import { beginCall, problemOfRow, takeCall } from './call-blocking.ts'

/** The way in which an endpoint writes a call as events. `sequence` counts the events. */
export type Writer = {
  /** The headers are sent with this piece. */
  isFirst(piece: RunPiece): boolean
  started(call: Call, model_snapshot: string, deployment_id: string): readonly SseEvent[]
  text(text: string): readonly SseEvent[]
  /** After all text. `index` counts the calls of the answer. */
  toolCall(call: ToolCall, index: number, sealed: readonly Sealed[]): readonly SseEvent[]
  /** Of an operation that the platform performed: only where the call asked for some. */
  toolResult?(result: Performable): readonly SseEvent[]
  ended(settled: SettledCall): readonly SseEvent[]
  /** For a stored operation: all events after the text. */
  stored(row: OperationRow, output: Output): readonly SseEvent[]
  storedStart(row: OperationRow): readonly SseEvent[]
  /** The ending that is sent if the writer did not see the call end. */
  broken(operation_id: string, code: EndingCode): SseEvent
}

/** What a writer may know of the call. */
export type Written = Pick<
  Call,
  | 'id'
  | 'tenant_id'
  | 'model'
  | 'created_at'
  | 'previous_id'
  | 'store'
  | 'content'
  | 'metadata'
  | 'parameters'
>

export type NewWriter = (call: Written, deps: Deps) => Writer

export function streamedCalls(newWriter: NewWriter) {
  return {
    begin: beginCall,
    open: async (
      operation_id: string,
      _attempt: 'first' | 'resumed',
      signal: AbortSignal,
      deps: Deps,
    ): Promise<EventStream> => {
      const taken = await takeCall(operation_id, deps)
      if ('ended' in taken) {
        if (taken.ended.output_ref === null && taken.ended.state !== 'succeeded') {
          throw problemOfRow(taken.ended)
        }
        return replay(deps, taken.ended, newWriter)
      }
      if (isBlocked(taken.call)) throw problem('content_blocked')
      return await open(deps, taken.call, newWriter(taken.call, deps), signal)
    },
    again: (operation_id: string, deps: Deps) => replayOf(deps, operation_id, newWriter),
    location: (operation_id: string) => `/v1/inferences/${operation_id}`,
  }
}

/**
 * Resolves with the first piece that the endpoint sends. A failure before it is an error status.
 */
async function open(
  deps: Deps,
  call: Call,
  writer: Writer,
  signal: AbortSignal,
): Promise<EventStream> {
  const pieces = runStreamed(deps, call, signal)
  const first: RunPiece[] = []
  for (;;) {
    const piece = await pieces.next()
    if (piece === undefined) throw problem('service_unavailable')
    first.push(piece)
    if (piece.type === 'ended') {
      const passed = first.some(writer.isFirst)
      if (!passed && piece.ending.state !== 'succeeded') throw problemOf(piece.ending)
      if (!piece.settled) throw problem('service_unavailable', { retry_after: 1 })
      break
    }
    if (writer.isFirst(piece)) break
  }
  const events = eventsOf(call, first, pieces, writer)
  return Object.assign(events, { ending: (code: EndingCode) => writer.broken(call.id, code) })
}

async function* eventsOf(
  call: Call,
  first: readonly RunPiece[],
  pieces: Pieces,
  writer: Writer,
): AsyncGenerator<SseEvent> {
  let calls = 0
  const events = (piece: RunPiece) =>
    piece.type === 'tool_call'
      ? writer.toolCall(piece.tool_call, calls++, piece.sealed)
      : eventsFrom(call, piece, writer)
  try {
    for (const piece of first) yield* events(piece)
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
      yield* events(piece)
    }
  } finally {
    pieces.leave()
  }
}

function eventsFrom(
  call: Call,
  piece: Exclude<RunPiece, { readonly type: 'tool_call' }>,
  writer: Writer,
): readonly SseEvent[] {
  if (piece.type === 'started') {
    return writer.started(call, piece.model_snapshot, piece.deployment_id)
  }
  if (piece.type === 'text') return writer.text(piece.text)
  if (piece.type === 'tool_result') return writer.toolResult?.(piece.result) ?? []
  if (piece.settled) return writer.ended(piece.settled)
  return [writer.broken(call.id, 'internal_error')]
}

async function* replayOf(deps: Deps, id: string, newWriter: NewWriter) {
  yield* replay(deps, await find(deps, id), newWriter)
}

async function* replay(
  deps: Deps,
  row: OperationRow,
  newWriter: NewWriter,
): AsyncGenerator<SseEvent> {
  const { db, keys } = deps.kernel
  const input = await readContent(db, { keys }, row.tenant_id, row.input_ref)
  const content = input === undefined ? { input: '' } : (JSON.parse(input) as Content)
  const writer = newWriter(writtenOf(row, content), deps)
  yield* writer.storedStart(row)
  const { answered, steps } = await readActed(db, { keys }, row)
  yield* replayResults(writer, answered)
  for (const step of steps) yield* replayStep(writer, step)
  const output = (await readOutput(db, { keys }, row)) ?? { text: '' }
  const { text, tool_calls = [], sealed = [] } = output.of_step ? { text: '' } : output
  if (text !== '') yield* writer.text(text)
  for (const [index, call] of tool_calls.entries()) {
    yield* writer.toolCall(call, index, index === 0 ? sealed : [])
  }
  yield* writer.stored(row, output)
}

function* replayStep(writer: Writer, { text, sealed, tool_calls, calls }: Step) {
  if (text !== '') yield* writer.text(text)
  for (const [index, call] of tool_calls.entries()) {
    yield* writer.toolCall(call, index, index === 0 ? sealed : [])
  }
  yield* replayResults(writer, calls)
}

function* replayResults(writer: Writer, calls: readonly Performable[]) {
  for (const call of calls) if (call.output !== null) yield* writer.toolResult?.(call) ?? []
}

export function writtenOf(row: OperationRow, content: Content): Written {
  const { id, tenant_id, model, created_at, previous_id, store } = row
  const parameters = row.parameters as Parameters
  const metadata = row.metadata as Call['metadata']
  return { id, tenant_id, model, created_at, previous_id, store, content, metadata, parameters }
}

async function find({ kernel: { db } }: Deps, id: string): Promise<OperationRow> {
  const { tenant_id } = await db.one(
    Type.Object({ tenant_id: Type.String() }),
    sql`
      -- any tenant: the operation's own id
      select tenant_id from inference.inference_operations where id = ${id}`,
  )
  const row = await readOperation(db, { tenant_id, id })
  if (!row) throw problem('inference_not_found')
  return row
}
