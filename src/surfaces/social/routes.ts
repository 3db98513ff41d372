/** The routes of social, by noun. */
import type { Route } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { feedRoutes } from './feeds/routes.ts'
import { graphRoutes } from './graph/routes.ts'
import { caseRoutes } from './moderation/case-routes.ts'
import { reportRoutes } from './moderation/report-routes.ts'
import { peopleRoutes } from './people/routes.ts'
import { postRoutes } from './posts/routes.ts'
import { reactionRoutes } from './reactions/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return [
    ...postRoutes(deps),
    ...feedRoutes(deps),
    ...reactionRoutes(deps),
    ...peopleRoutes(deps),
    ...graphRoutes(deps),
    ...reportRoutes(deps),
    ...caseRoutes(deps),
  ]
}
