/**
 * Deletes a schedule. Its name is kept for a while, so that a repeated request succeeds, and a name
 * that never was is refused. Who may not schedule its type sees neither.
 */
import { Type } from 'typebox'
import { allowsType, sql, type Retention, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const Named = Type.Object({ type: Type.String(), deleted: Type.Boolean() })

export async function deleteSchedule(
  tx: Tx,
  { tenant_id, name }: { readonly tenant_id: string; readonly name: string },
  grants: ReadonlySet<string>,
): Promise<void> {
  const named = await tx.maybe(
    Named,
    sql`
    select type, deleted from (
      select type, false as deleted from jobs.job_schedules
      where tenant_id = ${tenant_id} and name = ${name}
      union all
      select type, true from jobs.deleted_schedules
      where tenant_id = ${tenant_id} and name = ${name}
    ) named
    order by deleted
    limit 1`,
  )
  if (!named || !allowsType(grants, 'jobs.schedules.write', named.type)) {
    throw problem('job_schedule_not_found')
  }
  if (named.deleted) return
  await tx.run(sql`
    with gone as (
      delete from jobs.job_schedules
      where tenant_id = ${tenant_id} and name = ${name} and type = ${named.type}
      returning tenant_id, name, type, principal_id
    )
    insert into jobs.deleted_schedules as d (tenant_id, name, type, principal_id)
    select tenant_id, name, type, principal_id from gone
    on conflict (tenant_id, name) do update
    set type = excluded.type, principal_id = excluded.principal_id,
      deleted_at = excluded.deleted_at`)
}

export const deletedScheduleRetention: Retention = {
  table: 'jobs.deleted_schedules',
  key: ['tenant_id', 'name'],
  where: sql`
    -- any tenant: a sweep
    t.deleted_at < kernel.now() - interval '30 days'`,
}
