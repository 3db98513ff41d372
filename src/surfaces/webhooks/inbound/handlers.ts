/**
 * The handlers of received messages, at most one for each provider. They are registered when
 * webhooks is opened.
 */
import type { InboundHandler } from '../../../kernel/surface.ts'

export type Handlers = {
  readonly providers: ReadonlySet<string>
  of(provider: string): InboundHandler | undefined
}

export function openHandlers(told: readonly InboundHandler[]): Handlers {
  const known = new Map(told.map(handler => [handler.provider, handler]))
  if (known.size !== told.length) throw new Error('two handlers work on one provider')
  return { providers: new Set(known.keys()), of: provider => known.get(provider) }
}
