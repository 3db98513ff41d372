/** The routes of inference, by noun. */
import type { Route } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { chatRoutes } from './gateway/chat/routes.ts'
import { messageRoutes } from './gateway/messages/routes.ts'
import { responseRoutes } from './gateway/responses/routes.ts'
import { vectorRoutes } from './gateway/vectors/routes.ts'
import { generationRoutes } from './generations/routes.ts'
import { inferenceRoutes } from './inferences/routes.ts'
import { inferenceJobRoutes } from './jobs/routes.ts'
import { modelRoutes } from './models/routes.ts'
import { ownProviderRoutes } from './own-providers/routes.ts'
import { webhookRoute } from './provider-events/receive.ts'
import { quotaRoutes } from './quotas/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { usageRoutes } from './usage/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return [
    ...inferenceRoutes(deps),
    ...inferenceJobRoutes(deps),
    ...modelRoutes(deps),
    ...ownProviderRoutes(deps),
    ...chatRoutes(deps),
    ...messageRoutes(deps),
    ...responseRoutes(deps),
    ...vectorRoutes(deps),
    ...generationRoutes(deps),
    ...reportRoutes(deps),
    ...usageRoutes(deps),
    ...quotaRoutes(deps),
    webhookRoute(deps),
    // A model that could call models, or change its own quota, would have no limit.
  ].map(one => ({ ...one, tool: 'never' as const }))
}
