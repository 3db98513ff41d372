/**
 * Creates the inbound part of webhooks: the routes and the loops. Both use the same store of
 * secrets.
 */
import type { InboundHandler, Loop, Route, SealedColumn } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { openHandlers } from './handlers.ts'
import { openInboundSecrets } from './inbound-secrets.ts'
import { processLoop } from './processing/process-receipts.ts'
import { receiptRoutes } from './receipts/routes.ts'
import { receiveRoutes } from './receive-route.ts'
import { openFindTrusted } from './sources/find-source.ts'
import { sourceRoutes } from './sources/routes.ts'
import { openStore } from './store-receipt.ts'

export type Inbound = {
  readonly routes: readonly Route[]
  readonly loops: readonly Loop[]
  readonly sealed: readonly SealedColumn[]
}

export function openInbound(kernel: Kernel, given: readonly InboundHandler[]): Inbound {
  const secrets = openInboundSecrets(kernel)
  const handlers = openHandlers(given)
  const receiving = {
    kernel,
    findTrusted: openFindTrusted(kernel, secrets),
    store: openStore({ kernel, handled: handlers.providers }),
  }
  return {
    routes: [
      ...receiveRoutes(receiving),
      ...sourceRoutes({ kernel, secrets }),
      ...receiptRoutes({ kernel }),
    ],
    loops: [processLoop({ kernel, handlers })],
    sealed: secrets.sealed,
  }
}
