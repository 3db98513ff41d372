/** The events of an inference stream: started, delta*, usage, and exactly one of completed and error. */
import { currentRequestId, type SseEvent } from '#dodeca/kernel'
import type { Writer } from '../operations/call-streamed.ts'
import type { OperationRow } from '../operations/read-operation.ts'
import { codeOf, isRetryable } from '../operations/settle-call.ts'

/** Error codes of the kernel that a retry may resolve. */
const lasting: ReadonlySet<string> = new Set(['invalid_token', 'slow_consumer'])

export function inferenceWriter(): Writer {
  let sequence = 0
  const request_id = currentRequestId() ?? ''
  const event = (name: string, data: object, terminal?: true): SseEvent => {
    const at = sequence++
    return {
      event: name,
      id: String(at),
      data: { sequence: at, ...data },
      ...(terminal ? { terminal } : {}),
    }
  }
  const error = (operation_id: string, code: string, retryable: boolean) =>
    event('error', { operation_id, code, retryable, request_id }, true)
  return {
    isFirst: piece => piece.type === 'started',
    started: ({ id, deadline_at }, model_snapshot, model_deployment_id) => [
      event('started', { operation_id: id, model_deployment_id, model_snapshot, deadline_at }),
    ],
    text: text => [event('delta', { text })],
    toolCall: call => [event('tool_call', call)],
    toolResult: ({ id, name, state, output }) => [
      event('tool_result', { id, name, state, output }),
    ],
    ended: ({ call, result: { ending }, spent, output_length, output_sha256 }) => {
      const { cost, source, price_version: _price, ...units } = spent
      const usage = event('usage', {
        ...units,
        source: source === 'provider' ? 'provider' : 'estimated',
        cost_amount: cost,
      })
      if (ending.state !== 'succeeded') {
        return [usage, error(call.id, codeOf(ending) ?? '', isRetryable(ending))]
      }
      const { finish_reason } = ending
      const completed = { operation_id: call.id, finish_reason, output_length, output_sha256 }
      return [usage, event('completed', completed, true)]
    },
    storedStart: ({ id, model_deployment_id, model_snapshot, deadline_at }) => [
      event('started', { operation_id: id, model_deployment_id, model_snapshot, deadline_at }),
    ],
    stored: row => [...storedUsage(row, event), storedEnd(row, event, error)],
    broken: (operation_id, code) => error(operation_id, code, !lasting.has(code)),
  }
}

type Make = (name: string, data: object, terminal?: true) => SseEvent

function storedUsage({ usage }: OperationRow, event: Make): SseEvent[] {
  if (usage === null) return []
  const { unit: _unit, price_version: _price, ...spent } = usage
  return [event('usage', spent)]
}

function storedEnd(
  row: OperationRow,
  event: Make,
  error: (id: string, code: string, retryable: boolean) => SseEvent,
): SseEvent {
  if (row.state !== 'succeeded') return error(row.id, row.error_code ?? '', row.retryable)
  const { id: operation_id, finish_reason, output_length, output_sha256 } = row
  return event('completed', { operation_id, finish_reason, output_length, output_sha256 }, true)
}
