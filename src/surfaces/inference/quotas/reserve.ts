/**
 * Reserves the maximum that a run may use from every limit, in the caller's transaction.
 * `inference.reserve` locks and checks all counters in one round trip. So concurrent calls never
 * exceed the quota together.
 */
import { Type } from 'typebox'
import { parseTime } from '../../../kernel/clock.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { limitsArgument, short_names } from './limits.ts'

const Missed = Type.Object({
  missed: Type.String(),
  scope: Type.String(),
  limit_value: Type.String(),
  resets_at: nullable(Type.String()),
})

export type Reserve = {
  readonly tenant_id: string
  readonly actor_id: string
  readonly operation_id: string
  readonly run: number
  /** Jobs count only against the daily limits. */
  readonly class: 'call' | 'stream' | 'job'
  readonly deployment: { readonly tenant_id: string; readonly id: string }
  readonly input: number
  readonly output: number
  readonly requests: 0 | 1
  /** If false, only the request counts. */
  readonly hold: boolean
  /** The attempt that is sent after this commit; null if nothing is sent yet. */
  readonly attempt: number | null
}

export async function reserve(
  tx: Tx,
  { kernel, calls }: Pick<Deps, 'kernel' | 'calls'>,
  asked: Reserve,
): Promise<void> {
  const { tenant_id, actor_id, operation_id, run, deployment, attempt } = asked
  const missed = await tx.maybe(
    Missed,
    sql`
      select missed, scope, limit_value::text, resets_at from inference.reserve(
        ${tenant_id}, ${actor_id}, ${operation_id}, ${run}, ${asked.class},
        ${limitsArgument(kernel)}::jsonb, ${deployment.tenant_id}, ${deployment.id},
        ${asked.input}, ${asked.output}, ${asked.requests}, ${asked.hold}, ${calls.owner_id},
        ${kernel.settings['inference.lease_seconds']}, ${attempt}, ${newId()})`,
  )
  if (!missed) return
  const { scope, resets_at } = missed
  const metric = short_names[missed.missed] ?? 'concurrency'
  const wait = resets_at === null ? 1 : (parseTime(resets_at) - kernel.clock.nowMs()) / 1000
  const detail =
    metric === 'concurrency'
      ? `The ${scope} has as many calls under way as it may have (${missed.limit_value}). Wait until one has ended.`
      : `The call could use more ${metric} than is left of the limit of the ${scope} (${missed.limit_value}). Wait until ${resets_at}, ask for less output, or ask for a higher limit.`
  throw problem('quota_exceeded', {
    detail,
    retry_after: Math.max(1, Math.ceil(wait)),
    more: { quota: { metric, scope, limit: missed.limit_value, resets_at } },
  })
}

/**
 * Locks the first counter of a tenant. Every reservation locks this counter first. Used by
 * transactions that settle one run and reserve the next.
 */
export async function lockCounters(tx: Tx, tenant_id: string): Promise<void> {
  await tx.run(sql`
    select from inference.quota_counters
    where tenant_id = ${tenant_id} and scope_type = 'tenant' and scope_id = ${tenant_id}
      and metric = 'operations'
    for update`)
}
