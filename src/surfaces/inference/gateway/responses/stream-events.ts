/** The events of a streamed response, in the order in which the SDKs build it up. */
import type { SseEvent } from '#dodeca/kernel'
import { answerOfRow, answerOfSettled, type Answered } from '../../operations/answer.ts'
import type { Writer, Written } from '../../operations/call-streamed.ts'
import { codeOf } from '../../operations/settle-call.ts'
import type { Sealed, ToolCall } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import {
  askedOf,
  calledOf,
  ended,
  failed,
  messageId,
  messageOf,
  performedOf,
  thoughtOf,
  viewOf,
} from './response.ts'
import type { Performable } from '../../tools/steps.ts'
import type { Output } from './schemas.ts'

export function responseWriter(kernel: Pick<Kernel, 'keys' | 'public_url'>, call: Written): Writer {
  const stream = new ResponseStream(kernel, call)
  return {
    isFirst: piece => piece.type === 'started',
    started: (_call, snapshot) => stream.begin(snapshot),
    text: text => stream.text(text),
    toolCall: (one, _index, sealed) => stream.toolCall(one, sealed),
    toolResult: one => stream.toolResult(one),
    ended: settled => {
      const { ending } = settled.result
      if (ending.state === 'succeeded') return stream.end(answerOfSettled(settled))
      return [stream.fail(codeOf(ending) ?? 'service_unavailable')]
    },
    storedStart: row => stream.begin(row.model_snapshot),
    stored: row =>
      row.state === 'succeeded'
        ? stream.end(answerOfRow(row, { text: '' }))
        : [stream.fail(row.error_code ?? 'service_unavailable')],
    broken: (_id, code) => stream.fail(code),
  }
}

type Place = {
  readonly item_id: string
  readonly output_index: number
  readonly content_index: 0
}

class ResponseStream {
  private readonly kernel: Pick<Kernel, 'keys' | 'public_url'>
  private readonly call: Written
  private sequence = 0
  private said = ''
  /** The message that is being written. */
  private place: Place | undefined
  private messages = 0
  private thoughts = 0
  private items = 0
  /** All that is over, as the response has it. */
  private readonly done: Output[] = []
  /** What the platform has not performed. */
  private readonly waiting = new Map<string, ToolCall>()
  private model: string

  constructor(kernel: Pick<Kernel, 'keys' | 'public_url'>, call: Written) {
    this.kernel = kernel
    this.call = call
    this.model = call.model
  }

  begin(snapshot: string | null): SseEvent[] {
    this.model = snapshot || this.model
    const response = { ...viewOf(this.kernel, this.call), model: this.model }
    return [
      this.event('response.created', { response }),
      this.event('response.in_progress', { response }),
    ]
  }

  text(delta: string): SseEvent[] {
    const opened = this.openMessage()
    this.said += delta
    const data = { ...this.place, delta, logprobs: [] }
    return [...opened, this.event('response.output_text.delta', data)]
  }

  toolCall(call: ToolCall, sealed: readonly Sealed[]): SseEvent[] {
    const { id, tenant_id } = this.call
    const before = [...this.close('completed')]
    for (const one of sealed) {
      const item = thoughtOf(this.kernel, tenant_id, id, one, this.thoughts++)
      before.push(...this.item(item, item, () => []))
    }
    if (this.call.content.operations?.[call.name]) {
      this.waiting.set(call.id, call)
      return before
    }
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

  /** What another call asked, and this one answered, was not called in it. */
  toolResult(call: Performable): SseEvent[] {
    const is_own = this.waiting.delete(call.id)
    const item = performedOf(call, is_own ? null : call.id)
    const { id: item_id, status } = item
    const begun = { ...item, arguments: '', output: null, error: null, status: 'in_progress' }
    return this.item(begun, item, output_index => {
      const place = { item_id, output_index }
      const { arguments: said } = call
      return [
        this.event('response.mcp_call.in_progress', place),
        this.event('response.mcp_call_arguments.delta', { ...place, delta: said }),
        this.event('response.mcp_call_arguments.done', { ...place, arguments: said }),
        this.event(`response.mcp_call.${status}`, place),
      ]
    })
  }

  end(answer: Answered): SseEvent[] {
    const view = viewOf(this.kernel, this.call)
    const response = ended(view, this.kernel, this.call.tenant_id, answer)
    const { status } = response
    const asked = [...this.waiting.values()].flatMap(one => {
      const item = askedOf(one)
      return this.item(item, item, () => [])
    })
    const before = [...this.close(status), ...asked]
    const whole = { ...response, model: this.model, output: this.done }
    return [...before, this.event(`response.${status}`, { response: whole }, true)]
  }

  fail(code: string): SseEvent {
    const response = failed({ ...viewOf(this.kernel, this.call), model: this.model }, code)
    return this.event('response.failed', { response }, true)
  }

  private item(begun: Output, done: Output, inside: (at: number) => SseEvent[]): SseEvent[] {
    const output_index = this.items++
    this.done.push(done)
    return [
      this.event('response.output_item.added', { output_index, item: begun }),
      ...inside(output_index),
      this.event('response.output_item.done', { output_index, item: done }),
    ]
  }

  private openMessage(): SseEvent[] {
    if (this.place) return []
    const output_index = this.items++
    const item_id = messageId(this.call.id, this.messages++)
    this.place = { item_id, output_index, content_index: 0 }
    const item = { ...messageOf(item_id, '', 'in_progress'), content: [] }
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    return [
      this.event('response.output_item.added', { output_index, item }),
      this.event('response.content_part.added', { ...this.place, part }),
    ]
  }

  private close(status: string): SseEvent[] {
    const { place, said } = this
    if (!place) return []
    this.place = undefined
    this.said = ''
    const { item_id, output_index } = place
    const item = messageOf(item_id, said, status)
    this.done.push(item)
    const [part] = item.content ?? []
    return [
      this.event('response.output_text.done', { ...place, text: said, logprobs: [] }),
      this.event('response.content_part.done', { ...place, part }),
      this.event('response.output_item.done', { output_index, item }),
    ]
  }

  private event(type: string, more: object, terminal?: true): SseEvent {
    const data = { type, sequence_number: this.sequence++, ...more }
    return { event: type, data, ...(terminal ? { terminal } : {}) }
  }
}
