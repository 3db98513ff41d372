/** Deletes expired drafts. It emits an event for each, so it is not retention. */
import { Type } from 'typebox'
import { Id, sql, Version } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const batch = 100
const Expired = Type.Object({ tenant_id: Id, id: Id, version: Version })

export async function expireDrafts({ kernel }: Deps, signal: AbortSignal): Promise<void> {
  const { db, settings } = kernel
  const days = settings['notes.draft_days']
  const some = () =>
    db.tx(async tx => {
      const expired = await tx.many(
        Expired,
        sql`
          -- any tenant: a sweep
          update notes.notes set deleted_at = kernel.now(), version = version + 1
          where (tenant_id, id) in (
            select tenant_id, id from notes.notes
            where kind = 'draft' and deleted_at is null
              and created_at < kernel.now() - make_interval(days => ${days})
            limit ${batch} for update skip locked)
          returning tenant_id, id, version`,
      )
      for (const { tenant_id, id, version } of expired) {
        tx.emit({
          type: 'note.expired',
          tenant_id,
          aggregate_type: 'note',
          aggregate_id: id,
          aggregate_version: version,
          data: { note_id: id },
        })
      }
      return expired.length
    })
  while (!signal.aborted && (await some()) === batch);
}
