/** All routes of uploads. */
import type { Route } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { fileRoutes } from './files/routes.ts'
import { partRoutes } from './parts/routes.ts'
import { openSlots } from './parts/slots.ts'
import { uploadRoutes } from './uploads/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  return [
    ...uploadRoutes({ ...deps, verifying: { count: 0 } }),
    ...partRoutes({ ...deps, slots: openSlots(deps.kernel) }),
    ...fileRoutes(deps),
  ]
}
