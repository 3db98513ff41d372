/**
 * The handlers of received messages, at most one for each provider. They are registered when
 * webhooks is opened.
 */
import type { InboundHandler } from '#dodeca/kernel'

export type Handlers = {
  readonly providers: ReadonlySet<string>
  of(provider: string): InboundHandler | undefined
}

export function openHandlers(given: readonly InboundHandler[]): Handlers {
  const known = new Map(given.map(handler => [handler.provider, handler]))
  if (known.size !== given.length) throw new Error('two handlers work on one provider')
  return { providers: new Set(known.keys()), of: provider => known.get(provider) }
}
