/**
 * The attempts of one call. Each row is committed before its attempt is sent. The first attempt of
 * a run is written with its reservation. After an attempt with an unknown outcome, the run is
 * charged as reserved, and a further attempt needs a separate reservation. If the quota has no room
 * for it, it is not sent.
 */
import { newId, Problem, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { lockCounters } from '../quotas/reserve.ts'
import { nothing_known, settleRun } from '../quotas/settle.ts'
import type { AttemptLedger, AttemptSeen, AttemptState } from '../providers/provider.ts'
import type { Call } from './call.ts'
import { takeQuota } from './create-call.ts'

export type EndedAttempt = {
  readonly attempt: number
  readonly state: AttemptState
  readonly provider_request_id: string | null
  readonly error_code: string | null
  readonly latency_ms: number
}

export type Ledger = AttemptLedger & {
  /** Whether the current run was sent. */
  sent(): boolean
  /** The end of the last attempt. The next transaction writes it. */
  last(): EndedAttempt | undefined
}

export function openLedger(deps: Deps, call: Call): Ledger {
  const first = call.attempts
  let last: EndedAttempt | undefined
  let sent = false
  return {
    begin: async attempt => {
      // Committed with the reservation of the run.
      const is_written = attempt <= first
      if (!is_written && !(await writeNext(deps, call, attempt, last))) return false
      sent = true
      return true
    },
    end: async (attempt, state, seen: AttemptSeen) => {
      last = {
        attempt,
        state,
        provider_request_id: seen.provider_request_id ?? null,
        error_code: seen.error_code ?? null,
        latency_ms: Math.round(seen.latency_ms),
      }
    },
    sent: () => sent,
    last: () => last,
  }
}

/** Returns false if the quota has no room for a further reservation. */
async function writeNext(
  deps: Deps,
  call: Call,
  attempt: number,
  last: EndedAttempt | undefined,
): Promise<boolean> {
  const before = { run: call.run, attempts: call.attempts }
  try {
    await deps.kernel.db.tx(async tx => {
      await writeEnd(tx, call, last)
      if (last?.state === 'ambiguous') {
        await nextRun(tx, deps, call, { ...nothing_known, as: 'ambiguous' })
        return
      }
      await tx.run(sql`
        insert into inference.inference_attempts (tenant_id, operation_id, attempt, id, run,
          deployment_id)
        values (${call.tenant_id}, ${call.id}, ${attempt}, ${newId()}, ${call.run},
          ${call.deployment.id})`)
      call.attempts = attempt
    })
    return true
  } catch (error) {
    Object.assign(call, before)
    if (error instanceof Problem && error.code === 'quota_exceeded') return false
    throw error
  }
}

/** Settles the current run and reserves the next one, in one transaction. */
export async function nextRun(
  tx: Tx,
  deps: Deps,
  call: Call,
  spent: Parameters<typeof settleRun>[2],
): Promise<void> {
  const { tenant_id, id: operation_id, run } = call
  await lockCounters(tx, tenant_id)
  await settleRun(tx, { tenant_id, operation_id, run }, spent)
  call.run = run + 1
  takeQuota(tx, deps, call, { requests: 0 })
  await tx.run(sql`
    update inference.inference_operations
    set run = ${call.run}, model_deployment_id = ${call.deployment.id},
      deployment_tenant_id = ${call.deployment.tenant_id}
    where tenant_id = ${tenant_id} and id = ${operation_id}`)
}

export async function writeEnd(
  tx: Tx,
  { tenant_id, id }: Pick<Call, 'tenant_id' | 'id'>,
  ended: EndedAttempt | undefined,
): Promise<void> {
  if (!ended) return
  await tx.run(sql`
    update inference.inference_attempts
    set state = ${ended.state}, provider_request_id = ${ended.provider_request_id},
      error_code = ${ended.error_code}, latency_ms = ${ended.latency_ms}
    where tenant_id = ${tenant_id} and operation_id = ${id} and attempt = ${ended.attempt}`)
}
