/** A list of notes: versions, pages, tombstones and a projection, as every surface has them. */
import { sql } from '../../../src/kernel/database/sql.ts'
import type { Surface } from '../../../src/kernel/surface.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { noteRoutes } from './routes.ts'
import { Count } from './schemas.ts'

export const notes: Surface<Face, Record<never, never>> = {
  name: 'notes',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: {
    'notes.notes.write': { says: 'Write notes of a kind', roles: ['writer'], typed: true },
  },
  errors,
  events,
  open: kernel => ({
    face: {
      written: async tenant_id => {
        const row = await kernel.db.maybe(
          Count,
          sql`select written from notes.counts where tenant_id = ${tenant_id}`,
        )
        return row?.written ?? 0
      },
    },
    routes: noteRoutes(),
    consumers: [
      {
        name: 'notes.counts',
        events: ['note.written'],
        run: async (tx, event) => {
          await tx.run(sql`
            insert into notes.counts (tenant_id, written) values (${event.tenant_id}, 1)
            on conflict (tenant_id) do update set written = notes.counts.written + 1`)
        },
      },
    ],
  }),
}
