/**
 * Ends locked attempts in the transaction that holds the locks: it decides, writes and emits. If no
 * surface must be asked, the writes are sent with the commit, so that a batch costs two round
 * trips.
 */
import { jitter, parseTime, type Tx } from '#dodeca/kernel'
import { wakeTimes } from '../../steps/release-runs.ts'
import type { TypeRules, TypeVersion } from '../rules.ts'
import { announceEnds, type EndListeners, type JobEnd } from './announce-ends.ts'
import { decideEnd, type Decision, type Ending } from './decide-end.ts'
import type { Held } from './hold-attempts.ts'
import { writeResults, type Result } from './result.ts'
import type { RetryBudgets } from './retry-budget.ts'
import { writeEnds, type Ended } from './write-ends.ts'

export type EndDeps = {
  readonly listeners: EndListeners
  readonly budgets: RetryBudgets
  readonly losses_max: number
  rulesOf(type: TypeVersion): TypeRules
}

export type HeldEnding = {
  readonly held: Held
  readonly ending: Ending
  readonly result: Result | null
}

export async function endAttempts(
  deps: EndDeps,
  tx: Tx,
  endings: readonly HeldEnding[],
): Promise<readonly Ended[]> {
  const wakes = await wakesOf(tx, endings)
  const ends = endings.map(({ held, ending, result }): Ended => {
    const decision = decide(deps, held, ending)
    const wake_at = decision.job === 'retryable' ? wakes.get(held.job_id) : undefined
    return {
      held,
      decision: wake_at === undefined ? decision : { ...decision, wake_at },
      result: decision.job === 'succeeded' ? result : null,
    }
  })
  const terminal = ends.flatMap(jobEndOf)
  const quiet = terminal.every(one => !one.has_dependents && !deps.listeners.ended(one))
  if (quiet && ends.every(one => !one.result?.body)) tx.atCommit(writeEnds(ends))
  else {
    await writeResults(tx, ends)
    await tx.run(writeEnds(ends))
  }
  await announceEnds(deps.listeners, tx, terminal)
  return ends
}

/** Of the runs that wait for their steps. */
async function wakesOf(tx: Tx, endings: readonly HeldEnding[]) {
  const releasing = endings.flatMap(({ held: { tenant_id, job_id }, ending }) =>
    ending.outcome === 'released' && ending.waits
      ? [{ tenant_id, job_id, waits: ending.waits }]
      : [],
  )
  return releasing.length === 0 ? new Map<string, string>() : await wakeTimes(tx, releasing)
}

function decide({ budgets, losses_max, rulesOf }: EndDeps, held: Held, ending: Ending): Decision {
  const { failures, losses, max_attempts, cancel_requested } = held
  const at = {
    now_ms: parseTime(held.now),
    failures,
    losses,
    max_attempts,
    losses_max,
    deadline_ms: held.deadline_at === null ? null : parseTime(held.deadline_at),
    cancel_requested,
  }
  const { backoff } = rulesOf(held)
  return decideEnd(ending, at, {
    backoff,
    random: jitter(),
    budget: () => budgets.take(held.type),
  })
}

function jobEndOf({ held, decision, result }: Ended): JobEnd[] {
  if (decision.job === 'retryable') return []
  return [
    {
      id: held.job_id,
      tenant_id: held.tenant_id,
      type: held.type,
      schema_version: held.schema_version,
      state: decision.job,
      error_code: decision.error?.code ?? null,
      version: held.version + 1,
      attempt_count: held.attempt_count,
      has_result: result !== null,
      has_dependents: held.has_dependents,
      created_at: held.created_at,
      started_at: held.started_at,
      completed_at: held.now,
      traceparent: held.traceparent,
    },
  ]
}
