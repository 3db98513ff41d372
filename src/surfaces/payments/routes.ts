/** The routes of payments, by noun. */
import type { Route } from '#dodeca/kernel'
import { accountRoutes } from './accounts/routes.ts'
import { customers } from './customers/customer.ts'
import type { Deps } from './deps.ts'
import { disputeRoutes } from './disputes/routes.ts'
import { intentRoutes } from './intents/routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { methodRoutes } from './methods/routes.ts'
import { reconciliationRoutes } from './reconciliation/routes.ts'
import { optionRoutes } from './pages/options.ts'
import { pageRoutes } from './pages/routes.ts'
import { refundRoutes } from './refunds/routes.ts'
import { requestRoutes } from './requests/routes.ts'
import { settlementRoutes } from './settlements/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return [
    ...accountRoutes(deps),
    ...intentRoutes(deps),
    ...customers.routes(deps),
    ...methodRoutes(deps),
    ...requestRoutes(deps),
    ...pageRoutes(deps),
    ...optionRoutes(deps),
    ...refundRoutes(deps),
    ...disputeRoutes(deps),
    ...ledgerRoutes(deps),
    ...settlementRoutes(deps),
    ...reconciliationRoutes(deps),
  ]
}
