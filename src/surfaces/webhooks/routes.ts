/** All routes of webhooks: each folder declares its own. */
import type { Route } from '../../kernel/http/route.ts'
import { catalogRoutes } from './catalog/routes.ts'
import type { FeedLookout } from './catalog/watch-events.ts'
import type { Deps } from './deps.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { replayRoutes } from './replays/routes.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { verificationRoutes } from './verification/routes.ts'

export function routes(deps: Deps, lookout: FeedLookout): readonly Route[] {
  return [
    ...subscriptionRoutes(deps),
    ...verificationRoutes(deps),
    ...catalogRoutes(deps, lookout),
    ...deliveryRoutes(),
    ...replayRoutes(deps),
  ]
}
