/**
 * The runner in a process. It keeps its slots filled while there is work. When it stops, it waits a
 * short time for handlers and gives back the other jobs, so that another process can continue
 * immediately. A slot is free when its handler has ended. The ends are written in parallel.
 */
import { isUnavailable, logFailure, newId, openSleeper, sql } from '#dodeca/kernel'
import type { JobType, Loop } from '#dodeca/kernel'
import { setTimeout as wait } from 'node:timers/promises'
import type { Rights } from '../../face.ts'
import type { Kernel } from '../../settings.ts'
import { checkOwners } from '../claims/check-owners.ts'
import type { Taken } from '../claims/claim-jobs.ts'
import type { TypeVersion } from '../rules.ts'
import { openClaimer, type Claimer } from '../claims/claimer.ts'
import { openRunningCounts } from '../claims/running-counts.ts'
import { openTurns } from '../claims/share-out.ts'
import { capabilitiesOf } from './capabilities.ts'
import { openFinisher } from './finisher.ts'
import { runner_topic } from '../../topics.ts'
import { openPlaces, type BuiltIn, type Places } from './places.ts'
import { openPulse } from './pulse.ts'
import type { RunDeps } from './run-attempt.ts'

export type RunnerDeps = RunDeps & {
  readonly rights: Pick<Rights, 'recentGrantsOf'>
  builtIn(one: TypeVersion): JobType | undefined
  readonly kernel: Kernel
  readonly grace_seconds: number
  /** The types whose handlers are in this process. */
  builtIns(): readonly BuiltIn[]
}

/**
 * While a job is ready, the kernel wakes the runner once a second. An idle runner sends no queries.
 */
const ready = sql`
  -- any tenant: a runner serves all of them
  select exists (select from jobs.job_queue where wake_at is null)`
const rest_ms = 30_000

/** Repeats only after a failure, because one run lasts until the process stops. */
export function openRunner(deps: RunnerDeps): Loop {
  return { name: runner_topic, every_ms: 1000, due: ready, run: signal => runUntil(deps, signal) }
}

async function runUntil(deps: RunnerDeps, signal: AbortSignal): Promise<void> {
  const { kernel, db, log, now } = deps
  const { settings, clock } = kernel
  const worker_id = newId()
  const sleeper = openSleeper()
  const runningCounts = openRunningCounts(now)
  const pulse = openPulse({ db, clock, log, now, grace_seconds: deps.grace_seconds })
  const claimer = openClaimer({
    db,
    keys: kernel.keys,
    runningCounts,
    turns: openTurns(),
    tenant_limit: settings['jobs.tenant_running'],
    types: () => deps.builtIns().map(({ rules }) => rules),
    now,
  })
  const places = openPlaces({
    ...deps,
    finisher: openFinisher(deps),
    runningCounts,
    count: settings['jobs.concurrency'],
    freed: capped => {
      // A slot in a lane with a cap became free too: the lane must be checked again.
      if (capped) claimer.woken()
      sleeper.wake()
    },
  })
  const unsubscribe = kernel.onWake(() => {
    claimer.woken()
    pulse.woken()
    sleeper.wake()
  }, [runner_topic])
  signal.addEventListener('abort', sleeper.close)
  const beating = pulse.beat(places.held)
  const announcing = capabilitiesOf(deps, worker_id).announceUntil(signal)
  try {
    const worker = { worker_id, claim_id: null, grace_seconds: deps.grace_seconds }
    while (!signal.aborted) {
      const began = await fill(deps, claimer, places, worker)
      if (began === 0) await sleeper.sleep(rest_ms)
    }
    await places.empty(settings['jobs.stop_grace_seconds'])
  } finally {
    unsubscribe()
    pulse.close()
    await Promise.all([beating, announcing])
  }
}

/** Returns how many jobs it started. */
async function fill(
  deps: RunnerDeps,
  claimer: Claimer,
  places: Places,
  worker: Parameters<Claimer['claim']>[0],
): Promise<number> {
  const { kernel, log, now } = deps
  const { settings } = kernel
  const batch = kernel.busy() ? 1 : settings['jobs.claim_batch']
  const free = Math.min(places.free(), batch)
  if (free <= 0) return 0
  const claimed_ms = now()
  try {
    const taken = await claimer.claim(worker, free)
    places.begin(await mayBegin(deps, taken, claimed_ms), claimed_ms)
    return taken.length
  } catch (error) {
    logFailure(log, { err: error }, 'jobs could not be claimed; trying again')
    claimer.woken()
    await wait(Math.min(1000, settings['jobs.poll_ms']))
    return 0
  }
}

const patience_ms = 10_000
const again_ms = 500

/** The leases are held already: a check that fails for a moment must not cost these attempts. */
async function mayBegin(
  deps: RunnerDeps,
  taken: readonly Taken[],
  claimed_ms: number,
): Promise<readonly Taken[]> {
  for (;;) {
    try {
      return await checkOwners(deps, taken)
    } catch (error) {
      if (!isUnavailable(error) || deps.now() - claimed_ms > patience_ms) throw error
      await wait(again_ms)
    }
  }
}
