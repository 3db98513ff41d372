/**
 * Stores the decisions of the policy or of the provider about one stage of a call: one row for each
 * category.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Decided } from '../safety/policy.ts'
import type { Call } from './call.ts'

export function recordDecisions(
  tx: Tx,
  { policy }: Pick<Deps, 'policy'>,
  { tenant_id, id }: Pick<Call, 'tenant_id' | 'id'>,
  stage: 'input' | 'output',
  decided: readonly Decided[],
): void {
  if (decided.length === 0) return
  tx.atCommit(sql`
    insert into inference.safety_decisions (tenant_id, operation_id, stage, category,
      policy_version, decision)
    select ${tenant_id}, ${id}, ${stage}, d.category, ${policy.version}, d.decision
    from ${sql.table(decided, { category: 'text', decision: 'text' })} d
    on conflict (tenant_id, operation_id, stage, category) do update
      set decision = excluded.decision, policy_version = excluded.policy_version`)
}
