/**
 * The engine of jobs, for the rest of the surface. It has the functions of the worker protocol and
 * the loops that act on time. The runner inside the process uses the same functions.
 */
import { JobFailure } from '#dodeca/kernel'
import type { JobStep, JobType, Loop, Reader, Tx } from '#dodeca/kernel'
import { runner_topic } from '../topics.ts'
import type { Kernel } from '../settings.ts'
import { checkOwners } from './claims/check-owners.ts'
import { openClaimForWorker, type ClaimForWorker } from './claims/claim-once.ts'
import { hashOf, type Lease } from './claims/claim-jobs.ts'
import { releaseClaim } from './claims/release-claim.ts'
import { openRunningCounts } from './claims/running-counts.ts'
import { openTurns } from './claims/share-out.ts'
import type { EndListeners } from './ends/announce-ends.ts'
import type { Ending } from './ends/decide-end.ts'
import { finalize, type FinalizeDeps } from './ends/finish-attempts.ts'
import type { Finished } from './ends/refuse-stale-lease.ts'
import { holdAttempt, type HeldAttempt } from './ends/hold-attempts.ts'
import { jsonResult, type Result } from './ends/result.ts'
import { beatLoop } from './ends/note-outages.ts'
import { openRetryBudgets } from './ends/retry-budget.ts'
import { sweep, sweepIsDue } from './ends/sweeps.ts'
import type { Rights } from '../face.ts'
import type { TypeRules, TypeVersion } from './rules.ts'
import { renewLeases, type HeldBy, type Renewed } from './runner/heartbeat.ts'
import type { BuiltIn } from './runner/places.ts'
import { noteProgress, type Noted } from './runner/progress.ts'
import type { RunDeps } from './runner/run-attempt.ts'
import { openRunner } from './runner/runner.ts'

export type Bearer = { readonly attempt_id: string; readonly lease_token: string }

export type Finalize = Bearer & {
  readonly version: number
  readonly ending: Ending
  /** JSON, or the id of bytes that this attempt has stored. */
  readonly result?: { readonly value: unknown } | { readonly result_ref: string }
}

export type Engine = {
  readonly claim: ClaimForWorker
  /** Releases what a claim returned, if its worker disconnected before it got the reply. */
  releaseClaim(claim_id: string, leases: readonly Lease[]): Promise<void>
  /**
   * Attempts that are missing in the result are lost. `by` is null for the platform's own workers.
   */
  heartbeat(leases: readonly Bearer[], by: HeldBy | null): Promise<readonly Renewed[]>
  /** Undefined if the lease is lost. */
  progress(bearer: Bearer, step: JobStep): Promise<Noted | undefined>
  finalize(finish: Finalize): Promise<Finished>
  /** Locks the attempt until `tx` ends. Returns undefined if the lease is lost. */
  attemptFence(tx: Tx, bearer: Bearer): Promise<HeldAttempt | undefined>
  readonly loops: readonly Loop[]
}

export type EngineDeps = {
  readonly kernel: Kernel
  readonly listeners: EndListeners
  readonly rights: Pick<Rights, 'recentGrantsOf'>
  rulesOf(one: TypeVersion): TypeRules
  builtIn(one: TypeVersion): JobType | undefined
  /** The types whose handlers are in this process. */
  builtIns(): readonly JobType[]
  readonly openSteps: RunDeps['openSteps']
  /** Throws if the result does not match the schema of its type. */
  checkResult(reader: Reader, one: TypeVersion, value: unknown): Promise<void>
}

const now = () => performance.now()

export function openEngine(deps: EngineDeps): Engine {
  const { kernel, listeners, rulesOf } = deps
  const { db, keys, settings, fault, log } = kernel
  const grace_seconds = settings['jobs.cancel_grace_seconds']
  const progress_kept = settings['jobs.progress_kept']
  const budgets = openRetryBudgets(now)
  const losses_max = settings['jobs.lease_losses']
  const ending: FinalizeDeps = { db, fault, listeners, budgets, losses_max, rulesOf }
  const owned = { ...ending, rights: deps.rights, builtIn: deps.builtIn }
  const claim = openClaimForWorker({
    db,
    keys,
    grace_seconds,
    runningCounts: openRunningCounts(now),
    turns: openTurns(),
    tenant_limit: settings['jobs.tenant_running'],
    now,
  })
  return {
    claim: async asked => {
      const leases = await checkOwners(owned, await claim(asked))
      for (const { type } of leases) budgets.started(type, 1)
      return leases
    },
    releaseClaim: async (claim_id, leases) => {
      const released = await releaseClaim(ending, claim_id, leases)
      if (released > 0) kernel.wake([runner_topic])
    },
    heartbeat: (leases, by) => renewLeases(db, leases.map(shown), grace_seconds, by),
    progress: (bearer, step) => noteProgress(db, shown(bearer), step, progress_kept),
    finalize: async finish => {
      const { version, ending: end } = finish
      const [said] = await finalize(ending, [
        { ...shown(finish), version, ending: end, result: resultOf(finish) },
      ])
      return said ?? { said: 'lease_lost' }
    },
    attemptFence: (tx, bearer) => holdAttempt(tx, shown(bearer)),
    loops: [
      openRunner({
        ...owned,
        kernel,
        log,
        traced: kernel.traced,
        grace_seconds,
        progress_kept,
        now,
        builtIns: builtInsOf(deps),
        openSteps: deps.openSteps,
        checkResult: async ({ lease }, value) => await requireResult(deps, lease, value),
      }),
      beatLoop(db),
      {
        name: 'jobs.sweep',
        every_ms: 60_000,
        due: sweepIsDue,
        run: async signal => {
          if (await sweep({ ...ending, log }, signal)) kernel.wake([runner_topic])
        },
      },
    ],
  }
}

function shown({ attempt_id, lease_token }: Bearer) {
  return { attempt_id, token_hash: hashOf(lease_token) }
}

function resultOf({ result }: Finalize): Result | null {
  if (!result) return null
  return 'value' in result ? jsonResult(result.value) : { id: result.result_ref, body: null }
}

/** Types are declared once, before anything runs. The list is made at its first use. */
function builtInsOf({ rulesOf, builtIns }: EngineDeps): () => readonly BuiltIn[] {
  let made: readonly BuiltIn[] = []
  return () => {
    const types = builtIns()
    if (made.length !== types.length) {
      made = types.map(handler => ({ handler, rules: rulesOf(handler) }))
    }
    return made
  }
}

async function requireResult(deps: EngineDeps, one: TypeVersion, value: unknown): Promise<void> {
  try {
    await deps.checkResult(deps.kernel.db, one, value)
  } catch (cause) {
    throw new JobFailure('result_invalid', { cause })
  }
}
