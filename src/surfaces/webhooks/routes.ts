/** All routes of webhooks: each folder declares its own. */
import { openStreamPlaces, type Route } from '#dodeca/kernel'
import { catalogRoutes } from './catalog/routes.ts'
import type { FeedWatcher } from './catalog/watch-events.ts'
import type { Deps } from './deps.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { replayRoutes } from './replays/routes.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { verificationRoutes } from './verification/routes.ts'

export function routes(deps: Deps, watcher: FeedWatcher): readonly Route[] {
  const most = deps.kernel.settings['webhooks.watch_max_per_principal']
  return [
    ...subscriptionRoutes(deps),
    ...verificationRoutes(deps),
    ...catalogRoutes({ ...deps, watcher, places: openStreamPlaces(most) }),
    ...deliveryRoutes(deps),
    ...replayRoutes(deps),
  ]
}
