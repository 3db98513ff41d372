/**
 * Runs a keyed operation at most once, even if several requests send the same key together. In one
 * process they wait for one promise. In another process they poll. Waiting holds no connection.
 * After a crash, the record and the lease decide. A handler's refusal is an outcome too.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Db, Tx } from '../database/db.ts'
import { violates } from '../database/failures.ts'
import type { Fault } from '../faults.ts'
import { jitter, newId } from '../ids.ts'
import { keepLease } from './keep-lease.ts'
import type { InsideEffect, KeyedWork, OutsideEffect } from './keyed-work.ts'
import type { Metrics } from '../observability/metrics.ts'
import {
  endLease,
  lookUp,
  nameOf,
  recall,
  recorded,
  recordFinish,
  recordOutcome,
  recordStart,
  sameRequest,
  takeOver,
  type IdempotencyRecord,
  type KeyedName,
  type Outcome,
} from './records.ts'
import { Problem, problem } from '../errors/problem.ts'

export type KeyedDeps = {
  readonly db: Db
  readonly fault: Fault
  readonly metrics: Pick<Metrics, 'idempotency'>
  readonly wait_ms: number
}

export type Result = { readonly outcome: Outcome; readonly replayed: boolean }
type Shared = { readonly fingerprint: Buffer; readonly outcome: Outcome } | null
type Attempt = Result | 'busy' | 'again'
/** Rendered after the transaction that found it, because that may take a connection. */
type Known = { readonly record: IdempotencyRecord }
type Started = { operation_id: string; attempt: 'first' | 'resumed' }

export type Recalled = Promise<IdempotencyRecord | undefined>

export type Keyed = {
  /** `recalled` is the value that `recall` returned for the same scope. */
  run(work: KeyedWork, recalled?: Recalled): Promise<Result>
  /** The record of a known outcome. It is read while the permission check still runs. */
  recall(scope: KeyedName): Recalled | undefined
}

const poll_ms = 100

export function openKeyed(deps: KeyedDeps): Keyed {
  const running = new Map<string, Promise<Shared>>()
  const recent = new Set<string>()
  return {
    recall: name => {
      if (!recent.has(nameOf(name))) return undefined
      const record = recall(deps.db, name)
      record.catch(() => {}) // A caller without permission never gets the outcome.
      return record
    },
    run: async (work, recalled) => {
      const id = nameOf(work.scope)
      const deadline = performance.now() + deps.wait_ms
      for (;;) {
        const rival = running.get(id)
        if (!rival) break
        const left = deadline - performance.now()
        const shared = left > 0 ? await Promise.race([rival, wait(left, 'late' as const)]) : 'late'
        if (shared === 'late') throw inProgress(deps)
        if (shared) return replay(deps, work, shared.fingerprint, shared.outcome)
      }
      const mine = recent.has(id)
        ? again(deps, work, deadline, recalled)
        : lead(deps, work, deadline)
      const share: Promise<Shared> = mine
        .then(({ outcome }) =>
          work.rules.by_reference || work.whole
            ? null
            : { fingerprint: work.scope.fingerprint, outcome },
        )
        .catch(() => null)
        .finally(() => running.delete(id))
      mine.then(() => remember(recent, id)).catch(() => {})
      running.set(id, share)
      return await mine
    },
  }
}

const recent_max = 10_000
function remember(recent: Set<string>, id: string): void {
  if (recent.size >= recent_max) for (const oldest of recent) if (recent.delete(oldest)) break
  recent.add(id)
}

/** For a known outcome one read is usually enough. Otherwise a transaction begins. */
async function again(
  deps: KeyedDeps,
  work: KeyedWork,
  deadline: number,
  recalled: Recalled | undefined,
): Promise<Result> {
  const record = await (recalled ?? recall(deps.db, work.scope))
  const attempt = record?.state === 'completed' ? await known(deps, work, record) : 'again'
  return attempt === 'busy' || attempt === 'again' ? lead(deps, work, deadline) : attempt
}

async function lead(deps: KeyedDeps, work: KeyedWork, deadline: number): Promise<Result> {
  await work.effect.prepare?.()
  for (;;) {
    const attempt = await attemptOnce(deps, work)
    if (attempt !== 'busy' && attempt !== 'again') return attempt
    if (performance.now() >= deadline) throw inProgress(deps)
    if (attempt === 'busy') await wait(poll_ms * (0.5 + jitter()))
  }
}

async function attemptOnce(deps: KeyedDeps, work: KeyedWork): Promise<Attempt> {
  try {
    const found =
      'run' in work.effect
        ? await insideOnce(deps, work, work.effect)
        : await outsideOnce(deps, work, work.effect)
    if (typeof found === 'string' || !('record' in found)) return found
    return await known(deps, work, found.record)
  } catch (error) {
    // The other request committed after our snapshot. So we roll back and use its outcome.
    if (violates(error, 'idempotency_records_pkey')) return 'again'
    throw error
  }
}

/** One transaction contains the look-up, the effect, its events and the outcome record. */
async function insideOnce(
  deps: KeyedDeps,
  work: KeyedWork,
  effect: InsideEffect,
): Promise<Attempt | Known> {
  const attempt = await orRefuse(deps, work, async (tx): Promise<Attempt | Known> => {
    const record = await lookUp(tx, work.scope)
    if (record.state !== null) return { record }
    if (!record.locked) return 'busy'
    const outcome = await effect.run(tx)
    tx.atCommit(recordOutcome(work.scope, outcome, work.rules))
    await deps.fault('kernel.before_commit')
    return { outcome, replayed: false }
  })
  if (typeof attempt === 'object' && 'outcome' in attempt) {
    deps.metrics.idempotency.inc({ result: 'executed' })
    await deps.fault('kernel.after_commit')
  }
  return attempt
}

/** Commits the intent and the key, then calls under the operation's id, then records the outcome. */
async function outsideOnce(
  deps: KeyedDeps,
  work: KeyedWork,
  effect: OutsideEffect,
): Promise<Attempt | Known> {
  const lease = { lease_token: newId(), lease_seconds: effect.lease_seconds }
  const started = await orRefuse(deps, work, async (tx): Promise<Attempt | Known | Started> => {
    const record = await lookUp(tx, work.scope)
    if (record.state === 'in_progress' && sameRequest(record, work.scope)) {
      const taken = !record.leased && (await tx.run(takeOver(work.scope, lease))) === 1
      return taken ? { operation_id: record.operation_id ?? '', attempt: 'resumed' } : 'busy'
    }
    if (record.state !== null) return { record }
    if (!record.locked) return 'busy'
    const operation_id = newId()
    const outcome = await effect.begin(tx, operation_id)
    if (outcome) {
      tx.atCommit(recordOutcome(work.scope, outcome, work.rules))
      return { outcome, replayed: false }
    }
    tx.atCommit(recordStart(work.scope, { id: operation_id, ...lease }, work.rules))
    return { operation_id, attempt: 'first' }
  })
  if (typeof started === 'string' || !('operation_id' in started)) return started
  const held = keepLease(deps.db, work.scope, lease)
  try {
    await deps.fault('kernel.after_operation')
    return await conclude(deps, work, effect, { ...started, ...lease, lost: held.lost })
  } catch (error) {
    await deps.db.run(endLease(work.scope, lease.lease_token)).catch(() => {})
    throw error
  } finally {
    held.end()
  }
}

async function conclude(
  deps: KeyedDeps,
  work: KeyedWork,
  effect: OutsideEffect,
  started: Started & { lease_token: string; lost: AbortSignal },
): Promise<Attempt> {
  const called = await effect.call(started.operation_id, started.attempt, started.lost)
  await deps.fault('kernel.after_call')
  const scope = work.whole ? await work.whole() : work.scope
  if (!scope) throw new Error(`${work.scope.operation} did not read its body to the end`)
  const outcome = await deps.db
    .tx(async tx => {
      const finished = await effect.finish(tx, started.operation_id, called)
      const mine = await tx.run(recordFinish(scope, started.lease_token, finished, work.rules))
      if (mine !== 1) throw new LeaseLost()
      return finished
    })
    .catch((error: unknown) => {
      if (error instanceof LeaseLost) return null
      throw error
    })
  // Another process has taken over the operation, so that process records the outcome.
  if (!outcome) return 'again'
  deps.metrics.idempotency.inc({ result: 'executed' })
  await deps.fault('kernel.after_commit')
  return { outcome, replayed: false }
}

class LeaseLost extends Error {}

async function known(
  deps: KeyedDeps,
  work: KeyedWork,
  record: IdempotencyRecord,
): Promise<Attempt> {
  const completed = record.state === 'completed'
  const scope = completed && work.whole ? await work.whole() : work.scope
  if (!scope || !sameRequest(record, scope)) throw reused(deps)
  if (!completed) return 'busy'
  const outcome = recorded(record, work.rules)
  deps.metrics.idempotency.inc({ result: 'replayed' })
  if (outcome.status >= 400) return { outcome: work.refuseAgain(outcome), replayed: true }
  if (work.rules.by_reference && record.body === null && record.resource_ref) {
    return { outcome: await work.again(outcome, record.resource_ref), replayed: true }
  }
  return { outcome, replayed: true }
}

function replay(deps: KeyedDeps, work: KeyedWork, print: Buffer, outcome: Outcome): Result {
  if (!print.equals(work.scope.fingerprint)) throw reused(deps)
  deps.metrics.idempotency.inc({ result: 'replayed' })
  return { outcome: outcome.status < 400 ? outcome : work.refuseAgain(outcome), replayed: true }
}

/** Records a refusal after the rollback, so that successful requests pay for no savepoint. */
async function orRefuse<T>(
  deps: KeyedDeps,
  work: KeyedWork,
  run: (tx: Tx) => Promise<T>,
): Promise<T | Result> {
  try {
    return await deps.db.tx(run)
  } catch (error) {
    if (!(error instanceof Problem && work.isRecordable(error))) throw error
    const scope = work.whole ? await work.whole() : work.scope
    if (!scope) throw error
    const outcome = work.refuse(error)
    await deps.db.run(recordOutcome(scope, outcome, work.rules))
    deps.metrics.idempotency.inc({ result: 'refused' })
    return { outcome, replayed: false }
  }
}

function inProgress(deps: KeyedDeps): Problem {
  deps.metrics.idempotency.inc({ result: 'in_progress' })
  return problem('idempotency_in_progress', { retry_after: 1, headers: { 'retry-after': '1' } })
}

function reused(deps: KeyedDeps): Problem {
  deps.metrics.idempotency.inc({ result: 'reused' })
  return problem('idempotency_key_reused')
}
