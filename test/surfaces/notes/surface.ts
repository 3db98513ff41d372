/** Notes as the kernel sees them: wiring only. */
import { personalRows, sql, type Surface } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { expireDrafts } from './notes/expire-drafts.ts'
import { permissions } from './permissions.ts'
import { reminderQueue } from './reminders/send-reminder.ts'
import { routes } from './routes.ts'
import { Count, Note } from './schemas.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

export const notes: Surface<Face, { readonly vendor_url: string }, typeof settings> = {
  name: 'notes',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  permissions,
  errors,
  events,
  open: (kernel, { vendor_url }) => {
    const deps: Deps = { kernel, vendor_url }
    const deleted_days = kernel.settings['notes.deleted_retention_days']
    return {
      face: {
        written: async tenant_id => {
          const row = await kernel.db.maybe(
            Count,
            sql`select written from notes.counts where tenant_id = ${tenant_id}`,
          )
          return row?.written ?? 0
        },
      },
      routes: routes(deps),
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
      loops: [
        { name: 'notes.drafts', every_ms: 60_000, run: signal => expireDrafts(deps, signal) },
      ],
      queues: [reminderQueue(deps)],
      retention: [
        {
          table: 'notes.notes',
          key: ['tenant_id', 'id'],
          where: sql`t.deleted_at < kernel.now() - make_interval(days => ${deleted_days})`,
        },
      ],
      personal: personalRows(kernel.db, [
        {
          kind: 'note',
          table: 'notes.notes',
          owner: 'owner_id',
          view: Object.keys(Note.properties),
          erase: 'delete',
        },
      ]),
      seed: tenants => seed(deps, tenants),
    }
  },
}
