/**
 * The slots of a runner: jobs that run in them, jobs that were claimed ahead, and jobs whose end is
 * not written yet. Jobs that take milliseconds are claimed ahead, as many as will end soon, so that
 * a slot does not wait for a round trip. Jobs that take seconds are not claimed ahead.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { openRollingSum, type JobType } from '#dodeca/kernel'
import type { Taken } from '../claims/claim-jobs.ts'
import type { RunningCounts } from '../claims/running-counts.ts'
import type { TypeRules } from '../rules.ts'
import { openAttempt, stopAttempt, type Attempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import { runAttempt, type RunDeps } from './run-attempt.ts'

export type BuiltIn = { readonly rules: TypeRules; readonly handler: JobType }

export type PlacesDeps = RunDeps & {
  readonly count: number
  readonly finisher: Finisher
  readonly runningCounts: RunningCounts
  builtIns(): readonly BuiltIn[]
  freed(capped: boolean): void
}

export type Places = {
  /** The number of jobs that may be claimed now. */
  free(): number
  begin(taken: readonly Taken[], claimed_ms: number): void
  /**
   * Every attempt whose lease must be renewed: running, claimed ahead, or ended but not yet
   * written.
   */
  held(): readonly Attempt[]
  /** Stops all handlers. If a handler does not stop in time, its job is given back anyway. */
  empty(grace_seconds: number): Promise<void>
}

/** If unwritten ends exceed this multiple of the slots, no new job is claimed. */
const behind_max = 4
const pace_ms = 100

export function openPlaces(deps: PlacesDeps): Places {
  const { count, finisher, runningCounts } = deps
  const held = new Set<Attempt>()
  const ahead: Attempt[] = []
  const pace = openRollingSum<'ended'>(pace_ms, deps.now)
  /** The attempt's end is being written although the attempt's handler still runs. */
  const given = new WeakSet<Attempt>()
  let running = 0
  let emptied: (() => void) | undefined

  const finish = async (attempt: Attempt, run: Awaited<ReturnType<typeof runAttempt>>) => {
    if (run && !given.has(attempt)) await finisher.finish(attempt, run)
    held.delete(attempt)
    runningCounts.ended(attempt.lease.tenant_id)
    deps.freed(attempt.rules.tenant_max_running !== null)
    if (held.size === 0) emptied?.()
  }
  const work = async (attempt: Attempt): Promise<void> => {
    running++
    const run = await runAttempt(deps, attempt)
    running--
    pace.add('ended')
    const next = ahead.shift()
    if (next) void work(next)
    else deps.freed(false)
    await finish(attempt, run)
  }
  const giveBack = async (attempt: Attempt): Promise<void> => {
    given.add(attempt)
    await finisher.finish(attempt, { ending: { outcome: 'released' }, result: null })
    held.delete(attempt)
  }
  return {
    free: () => {
      const unwritten = held.size - running - ahead.length
      if (unwritten > count * behind_max) return 0
      return count + Math.floor(pace.total('ended') / 2) - running - ahead.length
    },
    begin: (taken, claimed_ms) => {
      for (const lease of taken) {
        const { rules, handler } = builtInOf(deps, lease)
        const attempt = openAttempt(lease, rules, handler, claimed_ms)
        if (lease.cancel_requested) stopAttempt(attempt, 'cancelled')
        held.add(attempt)
        runningCounts.began(lease.tenant_id)
        deps.budgets.started(lease.type, 1)
        if (running < count) void work(attempt)
        else ahead.push(attempt)
      }
    },
    held: () => [...held],
    empty: async grace_seconds => {
      await Promise.all(ahead.splice(0).map(giveBack))
      for (const attempt of held) stopAttempt(attempt, 'stopping')
      if (held.size === 0) return
      const all = new Promise<void>(resolve => {
        emptied = resolve
      })
      await Promise.race([all, wait(grace_seconds * 1000, undefined, { ref: false })])
      await Promise.all([...held].map(giveBack))
    },
  }
}

function builtInOf({ builtIns }: PlacesDeps, { type, schema_version }: Taken): BuiltIn {
  const found = builtIns().find(
    ({ rules }) => rules.type === type && rules.schema_version === schema_version,
  )
  if (!found)
    throw new Error(`a job of type ${type} was claimed, and this process has no handler for it`)
  return found
}
