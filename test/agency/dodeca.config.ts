/** The application of these tests: the agency, and a surface that shows what it may call. */
import { app } from '../../src/app.ts'
import { surface } from '#dodeca/kernel'
import { agency } from '../surfaces/agency/surface.ts'

const probe = surface({
  name: 'probe',
  migrations: new URL('./probe-migrations/', import.meta.url),
  needs: {
    people: 'identity',
    jobs: 'jobs',
    files: 'uploads',
    messages: 'notifications',
    payments: 'payments',
    rooms: 'chat',
    links: 'links?',
  },
  purposes: {
    'probe.paper': {
      largest: { any: 1_000_000 },
      members: true,
      derivatives: [],
      checksum: 'deferred',
      erased: true,
    },
  },
  open: (_kernel, needs) => ({ face: needs }),
})

export default app({ surfaces: ['uploads', 'payments', 'chat', agency, probe] })
