/**
 * Deletes results that cannot be requested any more: expired ones, and bytes of attempts that ended
 * without naming them. The object is deleted before its row. So if the sweep is killed, the next
 * one finds the row again. An attempt that has ended may still be storing, so its bytes are kept
 * for an hour.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Db, type Loop } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

const portion = 500
const Swept = Type.Object({ id: Type.String(), blob_key: nullable(Type.String()) })
type Swept = Static<typeof Swept>

export function resultSweep({
  db,
  objects,
  settings,
}: Pick<Kernel, 'db' | 'objects' | 'settings'>): Loop {
  const days = settings['jobs.results_retention_days']
  // Checks one portion a minute and starts again at the end, so that its cost does not grow.
  let after: string | null = null
  const drop = async (found: readonly Swept[]) => {
    for (const { blob_key } of found) if (blob_key) await objects.delete(blob_key)
    await db.run(sql`
      -- any tenant: a sweep
      delete from jobs.job_results where id = any(${found.map(({ id }) => id)}::uuid[])`)
  }
  return {
    name: 'jobs.results',
    every_ms: 60_000,
    run: async signal => {
      let found: Swept[]
      do {
        found = await findOld(db, days)
        await drop(found)
      } while (found.length === portion && !signal.aborted)
      const looked = await lookAtBytes(db, after)
      after = looked.length === portion ? (looked.at(-1)?.id ?? null) : null
      await drop(looked.filter(one => one.orphan))
    },
  }
}

async function findOld(db: Db, days: number): Promise<Swept[]> {
  return await db.many(
    Swept,
    sql`
    -- any tenant: a sweep
    select r.id, r.blob_key from jobs.job_results r
    where r.created_at < kernel.now() - make_interval(days => ${days})
      and not exists (select from jobs.job_attempts a
        where a.id = r.attempt_id and a.state = 'running')
    order by r.created_at
    limit ${portion}`,
  )
}

const Looked = Type.Object({ ...Swept.properties, orphan: Type.Boolean() })

async function lookAtBytes(db: Db, after: string | null): Promise<Static<typeof Looked>[]> {
  return await db.many(
    Looked,
    sql`
    -- any tenant: a sweep
    select r.id, r.blob_key, j.result_ref is distinct from r.id
      and coalesce(a.completed_at < kernel.now() - interval '1 hour', false) as orphan
    from jobs.job_results r
    join jobs.job_attempts a on a.id = r.attempt_id
    left join jobs.jobs j on j.tenant_id = r.tenant_id and j.id = r.job_id
    where r.blob_key is not null and (${after}::uuid is null or r.id > ${after}::uuid)
    order by r.id
    limit ${portion}`,
  )
}
