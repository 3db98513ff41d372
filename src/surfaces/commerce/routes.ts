/** The routes of commerce, by noun. */
import type { Route } from '#dodeca/kernel'
import { auditRoutes } from './audit-route.ts'
import { cartRoutes } from './carts/routes.ts'
import { cartRequestRoutes } from './cart-requests/routes.ts'
import { catalogRoutes } from './catalog/routes.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import type { Deps } from './deps.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { orderPageRoutes } from './order-pages/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { priceRoutes } from './prices/routes.ts'
import { returnRoutes } from './returns/routes.ts'
import { ruleRoutes } from './rules/routes.ts'
import { shipmentRoutes } from './shipments/routes.ts'

/** A whole product with its variants may be larger. */
const body_limit_bytes = 64 * 1024

export function routes(deps: Deps): readonly Route[] {
  const small = [
    ...collectionRoutes(deps),
    ...priceRoutes(deps),
    ...inventoryRoutes(deps),
    ...ruleRoutes(deps),
    ...cartRoutes(deps),
    ...cartRequestRoutes(deps),
    ...checkoutRoutes(deps),
    ...orderRoutes(deps),
    ...shipmentRoutes(deps),
    ...returnRoutes(deps),
    ...auditRoutes(deps),
  ]
  const pages = orderPageRoutes(deps)
  return [...catalogRoutes(deps), ...pages, ...small.map(route => ({ ...route, body_limit_bytes }))]
}
