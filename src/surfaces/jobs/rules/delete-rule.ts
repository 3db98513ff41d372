/**
 * Deletes a rule. Its name is kept for a while, so that a repeated request succeeds, and a name that
 * never was is refused. Who may not write rules of its type sees neither.
 */
import { Type } from 'typebox'
import { allowsType, sql, type Retention, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { permission } from './schemas.ts'

const Held = Type.Object({ type: Type.String() })

export async function deleteRule(
  tx: Tx,
  { tenant_id, name }: { readonly tenant_id: string; readonly name: string },
  grants: ReadonlySet<string>,
): Promise<void> {
  const held = await tx.maybe(
    Held,
    sql`
    select type from jobs.job_rules
    where tenant_id = ${tenant_id} and name = ${name}
    for update`,
  )
  if (!held || !allowsType(grants, permission, held.type)) throw problem('job_rule_not_found')
  await tx.run(sql`
    update jobs.job_rules
    set state = 'deleted', reason = null, conditions = '[]', parameters = '{}',
      version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and name = ${name} and state <> 'deleted'`)
}

export const deletedRuleRetention: Retention = {
  table: 'jobs.job_rules',
  key: ['tenant_id', 'name'],
  where: sql`
    -- any tenant: a sweep
    t.state = 'deleted' and t.updated_at < kernel.now() - interval '30 days'`,
}
