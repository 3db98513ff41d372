/** All routes of notifications. */
import type { Route } from '#dodeca/kernel'
import { batchRoutes } from './batches/routes.ts'
import { categoryRoutes } from './categories/routes.ts'
import type { Deps } from './deps.ts'
import { destinationRoutes } from './destinations/routes.ts'
import { inboxRoutes } from './inbox/routes.ts'
import type { InboxStreams } from './inbox/watch-inbox.ts'
import { intentRoutes } from './intents/routes.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import { suppressionRoutes } from './suppressions/routes.ts'
import { templateRoutes } from './templates/routes.ts'

export function routes(deps: Deps, streams: InboxStreams): readonly Route[] {
  return [
    ...intentRoutes(deps),
    ...batchRoutes(deps),
    ...templateRoutes(deps),
    ...categoryRoutes(deps),
    ...preferenceRoutes(deps),
    ...destinationRoutes(deps),
    ...suppressionRoutes(deps),
    ...inboxRoutes({ ...deps, streams }),
  ]
}
