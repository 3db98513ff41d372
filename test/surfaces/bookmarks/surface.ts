/** Bookmarks as the kernel sees them: wiring only. */
import { surface } from '#dodeca/kernel'
import { bookmarks as resource } from './bookmark.ts'
import { staleQueue } from './mark-stale.ts'
import { reference } from './reference.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

export const bookmarks = surface({
  name: 'bookmarks',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  resources: [resource],
  reference,
  open: kernel => ({
    queues: [staleQueue()],
    seed: tenants => seed(kernel, tenants),
  }),
})
