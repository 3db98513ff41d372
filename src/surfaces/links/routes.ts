/** All routes of links: each folder declares its own. */
import type { Route } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { domainRoutes } from './domains/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { shorteningRoutes } from './shortening/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  const body_limit_bytes = deps.kernel.settings['links.body_limit_bytes']
  return [...shorteningRoutes(deps), ...domainRoutes(deps), ...moderationRoutes(deps)].map(one => ({
    body_limit_bytes,
    ...one,
  }))
}
