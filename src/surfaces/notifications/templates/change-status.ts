/**
 * Moves a version from draft to published to archived. A published version never changes; an
 * archived version is not sent any more.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const Status = Type.Object({ status: Type.String() })

export async function changeStatus(
  tx: Tx,
  at: { readonly tenant_id: string; readonly name: string; readonly version: number },
  from: 'draft' | 'published',
  to: 'published' | 'archived',
): Promise<void> {
  const { tenant_id, name, version } = at
  const changed = await tx.run(sql`
    update notifications.template_versions
    set status = ${to},
      published_at = case when ${to} = 'published' then kernel.now() else published_at end
    where tenant_id = ${tenant_id} and name = ${name} and version = ${version} and status = ${from}`)
  if (changed === 1) return
  const found = await tx.maybe(
    Status,
    sql`
      select status from notifications.template_versions
      where tenant_id = ${tenant_id} and name = ${name} and version = ${version}`,
  )
  if (!found) throw problem('template_not_found')
  throw problem('invalid_transition', { current_state: found.status })
}
