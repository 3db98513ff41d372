/**
 * Requests a replay of many deliveries. The requester, the reason and the selection are recorded in
 * the transaction that submits the job. The job has the replay's id, so a receiver that sees the
 * header can find it.
 */
import { limit, narrowSession, newId, parseTime, rfc3339, sql } from '#dodeca/kernel'
import type { Principal, Reader, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findSubscription } from '../subscriptions/find.ts'
import { takeReplayTurns } from './replay-delivery.ts'
import { replay_type } from './replay-job.ts'
import type { ReplayOrder } from './replay-target.ts'
import type { ReplayMany } from './schemas.ts'

const span_ms_max = limit(
  'webhooks.replay_span_ms',
  14 * 86_400_000,
  'ms',
  'Longest time range of a replay',
)

export async function replayMany(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'types' | 'jobs'>,
  id: string,
  { reason, ...asked }: ReplayMany,
  principal: Principal,
) {
  const { tenant_id, id: actor } = principal
  const session_id = narrowSession(principal)
  const { state } = await findSubscription(tx, { id, tenant_id })
  if (state !== 'active' && state !== 'paused') {
    throw problem('subscription_not_active', { current_state: state })
  }
  const order: ReplayOrder = {
    subscription_id: id,
    ...spanOf(asked, deps.kernel.clock.nowMs()),
    only: asked.only,
    types: await typesOf(tx, deps, asked),
  }
  await takeReplayTurns(tx, deps.kernel, { tenant_id, subscription_id: id })
  const replay_id = newId()
  await tx.run(sql`
    insert into webhooks.replay_audit (tenant_id, id, subscription_id, filter, job_id, actor, session_id,
      reason)
    values (${tenant_id}, ${replay_id}, ${id}, ${sql.json(order)}, ${replay_id}, ${actor},
      ${session_id}, ${reason})`)
  await deps.jobs.submit(tx, {
    id: replay_id,
    type: replay_type,
    tenant_id,
    principal_id: actor,
    session_id,
    parameters: order,
  })
  tx.audit('webhooks.subscriptions.replay', `webhook_subscription:${id}`, { reason })
  return { id: replay_id, job_id: replay_id, status: 'queued' as const, replay_id }
}

/** The replay does not include later events. */
function spanOf({ since, until }: Pick<ReplayMany, 'since' | 'until'>, now_ms: number) {
  const from_ms = parseTime(since)
  const to_ms = until === undefined ? now_ms : Math.min(parseTime(until), now_ms)
  if (from_ms >= to_ms) refuseSpan('/since', 'before_until')
  if (to_ms - from_ms > span_ms_max) refuseSpan('/since', 'span_of_14_days')
  return { since: rfc3339(from_ms), until: rfc3339(to_ms) }
}

function refuseSpan(pointer: string, constraint: string): never {
  throw problem('validation_failed', { errors: [{ location: 'body', pointer, constraint }] })
}

async function typesOf(
  reader: Reader,
  { types }: Pick<Deps, 'types'>,
  asked: Pick<ReplayMany, 'types'>,
) {
  await types.fresh(reader)
  const unknown = (asked.types ?? []).flatMap((pattern, at) =>
    types.known(pattern)
      ? []
      : [{ location: 'body', pointer: `/types/${at}`, constraint: 'event_type' } as const],
  )
  if (unknown.length > 0) throw problem('event_type_unknown', { errors: unknown.slice(0, 20) })
  return asked.types ?? null
}
