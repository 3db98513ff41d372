/** The routes of retrieval, by noun. */
import type { Route } from '#dodeca/kernel'
import { answerRoutes } from './answers/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import { connectorRoutes } from './connectors/routes.ts'
import type { Deps } from './deps.ts'
import { documentRoutes } from './documents/routes.ts'
import { evaluationRoutes } from './evaluations/routes.ts'
import { indexRoutes } from './indexes/routes.ts'
import { jobRoutes } from './ingestion/routes.ts'
import { searchRoutes } from './searches/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return [
    ...collectionRoutes(deps),
    ...documentRoutes(deps),
    ...jobRoutes(deps),
    ...connectorRoutes(deps),
    ...indexRoutes(deps),
    ...evaluationRoutes(deps),
    ...searchRoutes(deps),
    ...answerRoutes(deps),
  ]
}
