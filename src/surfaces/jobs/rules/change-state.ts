/**
 * What the platform does to a rule by itself. The event says so to subscribers.
 *
 *   active -> paused (`too_many_runs`) | disabled (`owner_revoked`)
 *
 * A PUT makes either active again, under the caller that replaces it.
 */
import { Type } from 'typebox'
import { madeIn, sql, type Earlier, type Tx } from '#dodeca/kernel'
import type { ActiveRule } from './schemas.ts'

export type Stop = { readonly state: 'paused' | 'disabled'; readonly reason: string }

export const too_many_runs: Stop = { state: 'paused', reason: 'too_many_runs' }
export const owner_revoked: Stop = { state: 'disabled', reason: 'owner_revoked' }

type Named = Pick<ActiveRule, 'tenant_id' | 'id' | 'name' | 'type' | 'version'>

/** `version` is that of the row after the change. */
export function announce(
  tx: Tx,
  { tenant_id, id, name, type, version }: Named,
  what: 'paused' | 'disabled' | 'missed',
  reason: string,
): void {
  tx.emit({
    type: `job_rule.${what}`,
    tenant_id,
    aggregate_type: 'job_rule',
    aggregate_id: id,
    aggregate_version: version,
    data: { rule_id: id, name, type, reason },
  })
}

const Stopped = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  version: Type.Integer(),
})

/** The rules of an account that may not act any more. */
export async function disableRulesOf(tx: Tx, account: Earlier): Promise<void> {
  const { state, reason } = owner_revoked
  const rows = await tx.many(
    Stopped,
    sql`
      -- any tenant: what one person made
      update jobs.job_rules r
      set state = ${state}, reason = ${reason}, version = version + 1, updated_at = kernel.now()
      where principal_id = any(${account.principal_ids}::uuid[]) and r.state = 'active'
        and ${madeIn(sql`created_at`, account)}
      returning tenant_id, id, name, type, version`,
  )
  for (const rule of rows) announce(tx, rule, state, reason)
}
