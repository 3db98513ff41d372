/** Sends messages through a vendor outside: every step that can be lost between two commits. */
import { openUpstream, type Surface } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { vendorBatches, vendorReports } from './receive-report.ts'
import { sendRoute, streamRoutes } from './routes.ts'

export const relay: Surface<Face, { vendor_url: string }> = {
  name: 'relay',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: {},
  errors,
  events,
  open: (kernel, { vendor_url }) => {
    const { db } = kernel
    const vendor = openUpstream({
      name: 'vendor',
      base_url: vendor_url,
      retries: 0,
      attempt_timeout_ms: 1000,
    })
    return {
      face: {},
      routes: [sendRoute(db, vendor), ...streamRoutes(db)],
      providers: [vendorReports(kernel), vendorBatches(kernel)],
      close: () => vendor.close(),
    }
  },
}
