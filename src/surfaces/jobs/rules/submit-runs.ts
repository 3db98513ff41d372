/**
 * Submits the jobs that rules make of events: in one statement for many, each once for its rule and
 * event. A job that cannot be made is the rule's miss, and never an error of the consumer.
 */
import {
  BeginAgain,
  isUnavailable,
  Problem,
  rfc3339,
  type LoggedEvent,
  type Tx,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { checkOrder } from '../jobs/check-order.ts'
import { insertJobs, type NewJob } from '../jobs/insert-jobs.ts'
import { factsOf } from '../reactions/event-facts.ts'
import { runner_topic } from '../topics.ts'
import { filled, MissingValue } from './conditions.ts'
import type { ActiveRule } from './schemas.ts'

export type SubmitDeps = Pick<Deps, 'kernel' | 'types' | 'quota' | 'files'>

/** A rule and an event that it answers. */
export type Match = { readonly rule: ActiveRule; readonly event: LoggedEvent }
/** The id of the job, or why there is none. */
export type Outcome = { readonly job_id: string } | { readonly missed: string }

export const rule_operation = 'rule'
const keyOf = ({ rule, event }: Match) => `rule:${rule.id}:${event.id}`
/** Finds the rule of a job. */
export const ruleOf = (key: string | null): string | null => key?.split(':')[1] ?? null

/** In the order of the matches. */
export async function submitRuns(
  tx: Tx,
  deps: SubmitDeps,
  matches: readonly Match[],
): Promise<Outcome[]> {
  try {
    return await tx.savepoint(part => submitAll(part, deps, matches))
  } catch (error) {
    if (isUnavailable(error) || error instanceof BeginAgain) throw error
    if (matches.length === 1) {
      deps.kernel.log.error({ err: error, rule_id: matches[0]?.rule.id }, 'a rule failed')
      return [{ missed: 'rule_failed' }]
    }
    // One of them is the cause; the others run without it.
    const outcomes: Outcome[] = []
    for (const match of matches) outcomes.push(...(await submitRuns(tx, deps, [match])))
    return outcomes
  }
}

async function submitAll(tx: Tx, deps: SubmitDeps, matches: readonly Match[]): Promise<Outcome[]> {
  const types = rememberedTypes(deps.types)
  const outcomes: Outcome[] = []
  const jobs: NewJob[] = []
  for (const match of matches) {
    try {
      const job = await checkOrder(tx, { ...deps, types }, orderOf(deps.kernel, match))
      await deps.quota.require(tx, job.tenant_id, 1, job.run ? 1 : 0)
      jobs.push({ ...job, traceparent: match.event.traceparent })
      outcomes.push({ job_id: job.id })
    } catch (error) {
      outcomes.push({ missed: codeOfMiss(error) })
    }
  }
  if (jobs.length > 0) {
    await insertJobs(tx, jobs)
    tx.wake(runner_topic)
  }
  return outcomes
}

function codeOfMiss(error: unknown): string {
  if (error instanceof MissingValue) return 'event_value_missing'
  if (error instanceof Problem) return error.code
  throw error
}

function orderOf({ clock }: Pick<Deps['kernel'], 'clock'>, match: Match) {
  const { rule, event } = match
  const { tenant_id, principal_id, session_id, type, schema_version, priority } = rule
  const later_ms = clock.nowMs() + rule.delay_seconds * 1000
  return {
    tenant_id,
    principal_id,
    session_id,
    type,
    schema_version,
    priority,
    parameters: filled(rule.parameters, factsOf(event)),
    operation: rule_operation,
    idempotency_key: keyOf(match),
    ...(rule.delay_seconds > 0 ? { scheduled_at: rfc3339(later_ms) } : {}),
  }
}

/** Many events of a batch make jobs of few types. */
function rememberedTypes(types: Deps['types']): Deps['types'] {
  const known = new Map<string, ReturnType<typeof types.resolve>>()
  return {
    ...types,
    resolve: (reader, type, version) => {
      const name = `${type} ${version}`
      const found = known.get(name) ?? types.resolve(reader, type, version)
      known.set(name, found)
      return found
    },
  }
}
