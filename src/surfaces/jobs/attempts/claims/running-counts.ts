/**
 * The number of running jobs of each tenant. The count is exact for this process. For all other
 * processes it is at most a second old. The limit of a tenant uses this count, so other processes
 * may exceed the limit for up to a second.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import { openRests } from './scan-backoff.ts'

export type RunningCounts = {
  running(tenant_id: string): number
  began(tenant_id: string): void
  ended(tenant_id: string): void
  /** Counts the running jobs of other processes, if that is due. */
  refresh(reader: Reader, tenants: readonly string[]): Promise<void>
}

const every_ms = 1000
const Count = Type.Object({ tenant_id: Type.String(), running: Type.Integer() })

export function openRunningCounts(now: () => number): RunningCounts {
  const own = new Map<string, number>()
  let others = new Map<string, number>()
  let due_ms = Number.NEGATIVE_INFINITY
  const rests = openRests()
  const change = (tenant_id: string, by: number) => {
    const count = (own.get(tenant_id) ?? 0) + by
    if (count > 0) own.set(tenant_id, count)
    else own.delete(tenant_id)
  }
  return {
    running: id => (own.get(id) ?? 0) + (others.get(id) ?? 0),
    began: id => change(id, 1),
    ended: id => change(id, -1),
    refresh: async (reader, tenants) => {
      const began_ms = now()
      if (began_ms < due_ms || !rests.rested(began_ms)) return
      const before = new Map(own)
      const counts = await reader.many(
        Count,
        sql`
        select a.tenant_id, count(*)::int as running from jobs.job_attempts a
        where a.state = 'running' and a.tenant_id = any (${tenants}::uuid[])
        group by a.tenant_id`,
      )
      others = new Map(
        counts.map(({ tenant_id, running }) => [
          tenant_id,
          Math.max(0, running - (before.get(tenant_id) ?? 0)),
        ]),
      )
      rests.ran(began_ms, now())
      due_ms = began_ms + every_ms
    },
  }
}
