/** A batch with the number of its notifications in each state. */
import { Type, type Static } from 'typebox'
import { allowsType, Id, nullable, sql, Time, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { Caller } from '../intents/read-notification.ts'
import { states } from '../schemas.ts'
import { BatchState, type BatchView, type RejectedLine } from './schemas.ts'

const Row = Type.Object({
  id: Id,
  state: BatchState,
  category: Type.String(),
  template_version: Type.String(),
  total: Type.Integer(),
  duplicates: Type.Integer(),
  rejected_count: Type.Integer(),
  rejected: Type.Unsafe<RejectedLine[]>({}),
  created_at: Time,
  completed_at: nullable(Time),
  age_seconds: Type.Number(),
})
const Count = Type.Object({ state: Type.String(), many: Type.Integer() })
const open_states = ['scheduled', 'queued', 'held', 'processing']

export async function requireBatch(
  reader: Reader,
  { principal: { tenant_id }, grants }: Caller,
  id: string,
): Promise<Static<typeof Row>> {
  const row = await reader.maybe(
    Row,
    sql`
      select id, state, category, template_version, total, duplicates, rejected_count, rejected,
        created_at, completed_at,
        extract(epoch from coalesce(completed_at, kernel.now()) - created_at)::float8 as age_seconds
      from notifications.notification_batches
      where tenant_id = ${tenant_id} and id = ${id} and state <> 'expanding'`,
  )
  if (!row || !allowsType(grants, 'notifications.batches.send', row.category)) {
    throw problem('batch_not_found')
  }
  return row
}

export async function readBatch(reader: Reader, caller: Caller, id: string): Promise<BatchView> {
  const { age_seconds, ...row } = await requireBatch(reader, caller, id)
  const counts = await countStates(reader, caller.principal.tenant_id, id)
  const left = open_states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  const done = row.total - left
  const eta = done === 0 ? null : Math.ceil((age_seconds * left) / done)
  return {
    ...row,
    status: row.state,
    counts: { ...counts, duplicates: row.duplicates, rejected: row.rejected_count },
    eta_seconds: row.state === 'dispatching' && left > 0 ? eta : null,
  }
}

/** Every state is named, also one that no notification is in. */
export async function countStates(
  reader: Reader,
  tenant_id: string,
  batch_id: string,
): Promise<Record<string, number>> {
  const rows = await reader.many(
    Count,
    sql`
      select state, count(*)::int as many from notifications.notification_intents
      where tenant_id = ${tenant_id} and batch_id = ${batch_id} group by state`,
  )
  const none = states.map(state => [state, 0] as const)
  return Object.fromEntries([...none, ...rows.map(row => [row.state, row.many] as const)])
}
