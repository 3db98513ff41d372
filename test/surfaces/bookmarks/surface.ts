/** Bookmarks as the kernel sees them: wiring only. */
import { Type } from 'typebox'
import { sql } from '../../../src/kernel/database/sql.ts'
import { Id } from '../../../src/kernel/http/shapes.ts'
import type { Surface } from '../../../src/kernel/surface.ts'
import { personalRows } from '../../../src/kernel/work/personal-rows.ts'
import { errors } from './errors.ts'
import { staleQueue } from './mark-stale.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { Bookmark } from './schemas.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

const named = { version: 1, data: Type.Object({ bookmark_id: Id, owner_id: Id }) }

export const bookmarks: Surface<unknown, unknown, typeof settings> = {
  name: 'bookmarks',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  permissions: {
    'bookmarks.bookmarks.read': { says: 'See own bookmarks', roles: ['member'] },
    'bookmarks.bookmarks.write': {
      says: 'Create, change and delete own bookmarks',
      roles: ['member'],
    },
  },
  errors,
  events: { 'bookmark.created': named, 'bookmark.deleted': named },
  reference,
  open: kernel => ({
    face: {},
    routes: routes(kernel),
    queues: [staleQueue()],
    retention: [
      {
        table: 'bookmarks.bookmarks',
        key: ['tenant_id', 'id'],
        where: sql`t.deleted_at < kernel.now()
          - make_interval(days => ${kernel.settings['bookmarks.deleted_retention_days']})`,
      },
    ],
    personal: personalRows(kernel.db, [
      {
        kind: 'bookmark',
        table: 'bookmarks.bookmarks',
        owner: 'owner_id',
        view: Object.keys(Bookmark.properties),
        erase: 'delete',
      },
    ]),
    seed: tenants => seed(kernel, tenants),
  }),
}
