/**
 * The handlers of received messages, at most one for each provider. They are known once all surfaces
 * are open.
 */
import type { InboundHandler } from '#dodeca/kernel'

export type Handlers = {
  connect(given: readonly InboundHandler[]): void
  of(provider: string): InboundHandler | undefined
}

export function openHandlers(): Handlers {
  const known = new Map<string, InboundHandler>()
  return {
    connect: given => {
      for (const handler of given) known.set(handler.provider, handler)
      if (known.size !== given.length) throw new Error('two handlers work on one provider')
    },
    of: provider => known.get(provider),
  }
}
