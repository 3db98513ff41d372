/** The parts read from one answer of a provider, and the text that may be passed on. */
import type { Deps } from '../deps.ts'
import type { Sealed, ToolCall } from '../providers/form.ts'
import { ProviderFailure, type FinishReason, type ProviderEvent } from '../providers/provider.ts'
import type { Decided, Policy } from '../safety/policy.ts'
import { OutputScanner } from '../safety/scanner.ts'
import type { Call } from './call.ts'
import { checkCalls, decideOnCalls } from './check-calls.ts'
import { StopCutter } from './cut-at-stop.ts'

/**
 * Receives the text while the call runs. Each call is awaited before more is read from the
 * provider.
 */
export type Sink = {
  started(model_snapshot: string): Promise<void>
  text(text: string): Promise<void>
  /** A whole call, after all text of the answer. `sealed` comes before the first one. */
  toolCall(call: ToolCall, sealed: readonly Sealed[]): Promise<void>
}

/** For calls whose output is read at their end. */
export const no_sink: Sink = {
  started: async () => {},
  text: async () => {},
  toolCall: async () => {},
}

/** A provider that ignores `max_output_tokens` must not fill the memory. No token is longer. */
const token_units_max = 128
const least_units_max = 64 * 1024

export class Reading {
  passed = ''
  received = ''
  has_passed = false
  snapshot: string | null = null
  response_id: string | null = null
  finish_reason: FinishReason | null = null
  /** The sequence of the caller that ended the text. */
  stop: string | undefined
  /** Passed on. */
  calls: readonly ToolCall[] = []
  sealed: Sealed[] = []
  usage: Extract<ProviderEvent, { type: 'usage' }> | null = null
  is_blocked = false
  private readonly scanner: OutputScanner
  private readonly cutter: StopCutter
  private readonly units_max: number
  private readonly provider: string
  private readonly policy: Policy
  private readonly tools: NonNullable<Call['content']['tools']>
  private readonly received_calls: ToolCall[] = []
  private received_units = 0
  private blocked: readonly Decided[] = []

  constructor(
    { policy }: Pick<Deps, 'policy'>,
    { parameters, content, deployment }: Pick<Call, 'parameters' | 'content' | 'deployment'>,
  ) {
    this.provider = deployment.provider
    this.policy = policy
    this.scanner = new OutputScanner(policy)
    this.cutter = new StopCutter(parameters.stop)
    this.tools = content.tools ?? []
    this.units_max = least_units_max + parameters.max_output_tokens * token_units_max
  }

  get decided(): readonly Decided[] {
    return [...this.scanner.decided, ...this.blocked]
  }

  /** Returns true if nothing more should be read. */
  async take(event: ProviderEvent, sink: Sink): Promise<boolean> {
    if (event.type === 'created') {
      this.snapshot = event.model_snapshot
      this.response_id = event.response_id
      this.has_passed = true
      await sink.started(event.model_snapshot)
    } else if (event.type === 'text') {
      this.received += event.text
      this.receive(event.text)
      const cut = this.cutter.push(event.text)
      this.stop = cut.stop
      if (this.stop !== undefined) this.finish_reason = 'stop'
      return (await this.pass(this.scanner.push(cut.text), sink)) || this.stop !== undefined
    } else if (event.type === 'tool_call') {
      const { type: _type, ...call } = event
      this.receive(call.arguments)
      this.received_calls.push(call)
    } else if (event.type === 'sealed') {
      this.receive(event.data)
      this.sealed.push({ type: 'sealed', provider: this.provider, data: event.data })
    } else if (event.type === 'usage') {
      this.usage = event
    } else {
      this.finish_reason = event.reason
    }
    return false
  }

  async end(sink: Sink): Promise<void> {
    if (this.is_blocked || !this.finish_reason) return
    const rest = this.cutter.end()
    if (rest !== '' && (await this.pass(this.scanner.push(rest), sink))) return
    if (await this.pass(this.scanner.end(), sink)) return
    // An answer that was cut may have half a call.
    if (this.finish_reason === 'tool_calls') await this.passCalls(sink)
  }

  /** What the model wrote, for the count of tokens if the provider sends none. */
  get written(): string {
    return [this.received, ...this.received_calls.map(one => one.arguments)].join('\n')
  }

  private async passCalls(sink: Sink): Promise<void> {
    const calls = checkCalls(this.tools, this.received_calls)
    this.blocked = decideOnCalls(this.policy, calls)
    this.is_blocked = this.blocked.length > 0
    if (this.is_blocked) return
    this.calls = calls
    for (const [at, call] of calls.entries()) {
      await sink.toolCall(call, at === 0 ? this.sealed : [])
    }
  }

  private receive({ length }: string): void {
    this.received_units += length
    if (this.received_units > this.units_max) {
      throw new ProviderFailure('upstream_invalid_response', { reason: 'output_too_long' })
    }
  }

  private async pass(scanned: { text: string; blocked: boolean }, sink: Sink): Promise<boolean> {
    if (scanned.text !== '') {
      this.passed += scanned.text
      await sink.text(scanned.text)
    }
    this.is_blocked ||= scanned.blocked
    return scanned.blocked
  }
}
