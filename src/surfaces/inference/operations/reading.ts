/** The parts read from one answer of a provider, and the text that may be passed on. */
import type { Deps } from '../deps.ts'
import { ProviderFailure, type ProviderEvent } from '../providers/provider.ts'
import type { Decided } from '../safety/policy.ts'
import { OutputScanner } from '../safety/scanner.ts'
import type { Call } from './call.ts'

/**
 * Receives the text while the call runs. Each call is awaited before more is read from the
 * provider.
 */
export type Sink = {
  started(model_snapshot: string): Promise<void>
  text(text: string): Promise<void>
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
  finish_reason: 'stop' | 'length' | null = null
  usage: Extract<ProviderEvent, { type: 'usage' }> | null = null
  is_blocked = false
  private readonly scanner: OutputScanner
  private readonly units_max: number

  constructor({ policy }: Pick<Deps, 'policy'>, { parameters }: Pick<Call, 'parameters'>) {
    this.scanner = new OutputScanner(policy)
    this.units_max = least_units_max + parameters.max_output_tokens * token_units_max
  }

  get decided(): readonly Decided[] {
    return this.scanner.decided
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
      if (this.received.length > this.units_max) {
        throw new ProviderFailure('upstream_invalid_response', { reason: 'output_too_long' })
      }
      return await this.pass(this.scanner.push(event.text), sink)
    } else if (event.type === 'usage') {
      this.usage = event
    } else {
      this.finish_reason = event.reason
    }
    return false
  }

  async end(sink: Sink): Promise<void> {
    if (!this.is_blocked && this.finish_reason) await this.pass(this.scanner.end(), sink)
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
