/** Opens the adapter of a kind, with the limits of the settings. */
import type { KeyObject } from 'node:crypto'
import type { Kernel } from '../settings.ts'
import type { Limits } from './call.ts'
import { openLines, type Connection, type Lines } from './lines.ts'
import type { Provider, ProviderKind } from './provider.ts'
import { openCompatible } from './wire/chat.ts'
import { openGemini } from './wire/gemini.ts'
import { openAnthropic } from './wire/messages.ts'
import { openOpenai } from './wire/responses.ts'

export type Adapter = {
  readonly name: string
  readonly kind: ProviderKind
  connection(): Connection | Promise<Connection>
  /** Of webhooks. */
  readonly secrets?: readonly KeyObject[]
}

export function openAdapter(
  kernel: Pick<Kernel, 'settings' | 'clock'>,
  { name, kind, connection, secrets = [] }: Adapter,
): Provider {
  const lines = linesOf(kernel, name, connection)
  switch (kind) {
    case 'openai':
      return openOpenai({ name, lines, secrets: () => secrets })
    case 'openai_compatible':
      return openCompatible({ name, lines })
    case 'anthropic':
      return openAnthropic({ name, lines })
    case 'gemini':
      return openGemini({ name, lines })
  }
}

export function linesOf(
  { settings, clock }: Pick<Kernel, 'settings' | 'clock'>,
  name: string,
  connection: Adapter['connection'],
): Lines {
  const limits: Limits = {
    attempt_timeout_ms: settings['inference.attempt_timeout_ms'],
    max_retries: settings['inference.max_retries'],
    first_event_ms: settings['inference.stream_first_event_ms'],
    idle_ms: settings['inference.stream_idle_ms'],
    stream_max_ms: settings['inference.stream_max_ms'],
  }
  const breaker_open_ms = settings['inference.breaker_open_ms']
  return openLines({ name, limits, breaker_open_ms, nowMs: () => clock.nowMs(), connection })
}
