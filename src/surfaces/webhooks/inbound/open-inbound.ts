/**
 * Creates the inbound part of webhooks: the routes and the loops. Both use the same store of
 * secrets.
 */
import type { Loop, Route, SealedColumn } from '#dodeca/kernel'
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
  connect(): void
}

export function openInbound(kernel: Kernel): Inbound {
  const secrets = openInboundSecrets(kernel)
  const handlers = openHandlers()
  const receiving = {
    kernel,
    findTrusted: openFindTrusted(kernel, secrets),
    store: openStore({ kernel, handlers }),
  }
  return {
    routes: [
      ...receiveRoutes(receiving),
      ...sourceRoutes({ kernel, secrets }),
      ...receiptRoutes({ kernel }),
    ],
    loops: [processLoop({ kernel, handlers })],
    sealed: secrets.sealed,
    connect: () => handlers.connect(kernel.declared.inbound()),
  }
}
