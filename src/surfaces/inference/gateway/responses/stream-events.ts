/** The events of a streamed response, in the order in which the SDKs build it up. */
import type { SseEvent } from '#dodeca/kernel'
import { answerOfRow, answerOfSettled, type Answered } from '../../operations/answer.ts'
import type { Writer, Written } from '../../operations/call-streamed.ts'
import { codeOf } from '../../operations/settle-call.ts'
import type { Sealed, ToolCall } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { calledOf, ended, failed, messageId, messageOf, thoughtOf, viewOf } from './response.ts'
import type { Output } from './schemas.ts'

export function responseWriter(kernel: Pick<Kernel, 'keys'>, call: Written): Writer {
  const stream = new ResponseStream(kernel, call)
  return {
    isFirst: piece => piece.type === 'started',
    started: (_call, snapshot) => stream.begin(snapshot),
    text: text => stream.text(text),
    toolCall: (one, _index, sealed) => stream.toolCall(one, sealed),
    ended: settled => {
      const { ending } = settled.result
      if (ending.state === 'succeeded') return stream.end(answerOfSettled(settled))
      return [stream.fail(codeOf(ending) ?? 'service_unavailable')]
    },
    storedStart: row => stream.begin(row.model_snapshot),
    stored: row =>
      row.state === 'succeeded'
        ? stream.end(answerOfRow(row, stream.output()))
        : [stream.fail(row.error_code ?? 'service_unavailable')],
    broken: (_id, code) => stream.fail(code),
  }
}

class ResponseStream {
  private readonly kernel: Pick<Kernel, 'keys'>
  private readonly call: Written
  private sequence = 0
  private said = ''
  private is_open = false
  private items = 0
  private readonly calls: ToolCall[] = []
  private sealed: readonly Sealed[] = []
  private model: string

  constructor(kernel: Pick<Kernel, 'keys'>, call: Written) {
    this.kernel = kernel
    this.call = call
    this.model = call.model
  }

  begin(snapshot: string | null): SseEvent[] {
    this.model = snapshot || this.model
    const response = { ...viewOf(this.call), model: this.model }
    return [
      this.event('response.created', { response }),
      this.event('response.in_progress', { response }),
    ]
  }

  text(delta: string): SseEvent[] {
    this.said += delta
    const { id } = this.call
    const place = { item_id: messageId(id), output_index: 0, content_index: 0 }
    return [
      ...this.openMessage(),
      this.event('response.output_text.delta', { ...place, delta, logprobs: [] }),
    ]
  }

  toolCall(call: ToolCall, sealed: readonly Sealed[]): SseEvent[] {
    const { id, tenant_id } = this.call
    const before = [...this.close('completed')]
    if (sealed.length > 0) this.sealed = sealed
    for (const [at, one] of sealed.entries()) {
      const item = thoughtOf(this.kernel, tenant_id, id, one, at)
      before.push(...this.item(item, item, () => []))
    }
    this.calls.push(call)
    const item = calledOf(call)
    const begun = { ...item, arguments: '', status: 'in_progress' }
    const { name, arguments: said } = call
    return [
      ...before,
      ...this.item(begun, item, output_index => {
        const place = { item_id: item.id, output_index }
        return [
          this.event('response.function_call_arguments.delta', { ...place, delta: said }),
          this.event('response.function_call_arguments.done', { ...place, name, arguments: said }),
        ]
      }),
    ]
  }

  end(answer: Answered): SseEvent[] {
    const response = ended(viewOf(this.call), this.kernel, this.call.tenant_id, answer)
    const { status } = response
    return [
      ...this.close(status),
      this.event(`response.${status}`, { response: { ...response, model: this.model } }, true),
    ]
  }

  fail(code: string): SseEvent {
    const response = failed({ ...viewOf(this.call), model: this.model }, code)
    return this.event('response.failed', { response }, true)
  }

  /** What was sent. */
  output(): Answered['output'] {
    const { said: text, calls: tool_calls, sealed } = this
    return tool_calls.length === 0 ? { text } : { text, tool_calls, sealed }
  }

  private item(begun: Output, done: Output, inside: (at: number) => SseEvent[]): SseEvent[] {
    const output_index = this.items++
    return [
      this.event('response.output_item.added', { output_index, item: begun }),
      ...inside(output_index),
      this.event('response.output_item.done', { output_index, item: done }),
    ]
  }

  private openMessage(): SseEvent[] {
    if (this.is_open) return []
    this.is_open = true
    const output_index = this.items++
    const item = { ...messageOf(this.call.id, '', 'in_progress'), content: [] }
    const place = { item_id: item.id, output_index, content_index: 0 }
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    return [
      this.event('response.output_item.added', { output_index, item }),
      this.event('response.content_part.added', { ...place, part }),
    ]
  }

  private close(status: string): SseEvent[] {
    if (!this.is_open) return []
    this.is_open = false
    const item = messageOf(this.call.id, this.said, status)
    const place = { item_id: item.id, output_index: 0, content_index: 0 }
    const [part] = item.content ?? []
    return [
      this.event('response.output_text.done', { ...place, text: this.said, logprobs: [] }),
      this.event('response.content_part.done', { ...place, part }),
      this.event('response.output_item.done', { output_index: 0, item }),
    ]
  }

  private event(type: string, more: object, terminal?: true): SseEvent {
    const data = { type, sequence_number: this.sequence++, ...more }
    return { event: type, data, ...(terminal ? { terminal } : {}) }
  }
}
