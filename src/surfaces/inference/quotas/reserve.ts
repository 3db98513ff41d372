/**
 * Reserves the maximum that a run may use from every limit, in the caller's transaction.
 * `inference.reserve` locks and checks all counters, so concurrent calls never exceed the quota
 * together. It is sent with COMMIT, so no counter is locked during a round trip. If a limit has too
 * little, it makes the transaction fail.
 */
import { newId, sql, violates, type Problem, type SqlState, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { limitsArgument, short_names } from './limits.ts'

/** The detail of the error of `inference.refuse_quota`. */
type Missed = {
  readonly missed: string
  readonly scope: string
  readonly limit_value: string
  readonly resets_at: string | null
}

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

export function reserve(
  tx: Tx,
  { kernel, calls }: Pick<Deps, 'kernel' | 'calls'>,
  asked: Reserve,
): void {
  const { tenant_id, actor_id, operation_id, run, deployment, attempt } = asked
  tx.atCommit(
    sql`
      select inference.refuse_quota(r)
      from inference.reserve(
        ${tenant_id}, ${actor_id}, ${operation_id}, ${run}, ${asked.class},
        ${limitsArgument(kernel)}::jsonb, ${deployment.tenant_id}, ${deployment.id},
        ${asked.input}, ${asked.output}, ${asked.requests}, ${asked.hold}, ${calls.owner_id},
        ${kernel.settings['inference.lease_seconds']}, ${attempt}, ${newId()}) r`,
    { refused: error => (violates(error, 'quota_room') ? exceeded(kernel, error) : error) },
  )
}

function exceeded({ clock }: Pick<Deps['kernel'], 'clock'>, { detail = '' }: SqlState): Problem {
  const { missed, scope, limit_value, resets_at } = JSON.parse(detail) as Missed
  const metric = short_names[missed] ?? 'concurrency'
  const wait = resets_at === null ? 1 : (Date.parse(resets_at) - clock.nowMs()) / 1000
  const says =
    metric === 'concurrency'
      ? `The ${scope} has as many calls under way as it may have (${limit_value}). Wait until one has ended.`
      : `The call could use more ${metric} than is left of the limit of the ${scope} (${limit_value}). Wait until ${resets_at}, ask for less output, or ask for a higher limit.`
  return problem('quota_exceeded', {
    detail: says,
    retry_after: Math.max(1, Math.ceil(wait)),
    more: { quota: { metric, scope, limit: limit_value, resets_at } },
  })
}

/**
 * Locks the counters of a tenant, as every reservation does first. Used by transactions that settle
 * one run and reserve the next.
 */
export async function lockCounters(tx: Tx, tenant_id: string): Promise<void> {
  await tx.run(sql`
    select from inference.quota_counters
    where tenant_id = ${tenant_id} and scope_type = 'tenant' and scope_id = ${tenant_id}
    for update`)
}
