/** Deals as the kernel sees them: wiring only. */
import type { Surface } from '#dodeca/kernel'
import { dealRoutes } from './routes.ts'

export const deals: Surface<unknown, unknown, Record<never, never>> = {
  name: 'deals',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: { 'deals.deals.read_any': { says: 'See the deals of others', roles: [] } },
  errors: {},
  events: {},
  open: kernel => ({
    face: {},
    routes: dealRoutes({ kernel }),
  }),
}
