/** The places of a runner: what runs in them, and what has ended and is still to be written. */
import { setTimeout as wait } from 'node:timers/promises'
import type { JobType } from '../../../../kernel/surface.ts'
import type { Taken } from '../claiming/claim-jobs.ts'
import type { Standings } from '../claiming/standings.ts'
import type { TypeRules } from '../rules.ts'
import { openAttempt, stopAttempt, type Attempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import { runAttempt, type RunDeps } from './run-attempt.ts'

export type BuiltIn = { readonly rules: TypeRules; readonly handler: JobType }

export type PlacesDeps = RunDeps & {
  readonly count: number
  readonly finisher: Finisher
  readonly standings: Standings
  builtIns(): readonly BuiltIn[]
  freed(capped: boolean): void
}

export type Places = {
  free(): number
  begin(taken: readonly Taken[], claimed_ms: number): void
  /** Everything whose lease must be kept: what runs, and what has ended without being written yet. */
  held(): readonly Attempt[]
  /** Stops all handlers; what does not end in time is given back all the same. */
  empty(grace_seconds: number): Promise<void>
}

/** Ends that wait to be written hold up new starts once they are this many times the places. */
const behind_max = 4

export function openPlaces(deps: PlacesDeps): Places {
  const { count, finisher, standings } = deps
  const held = new Map<Attempt, Promise<void>>()
  let running = 0

  const work = async (attempt: Attempt): Promise<void> => {
    const { lease, rules } = attempt
    running++
    standings.began(lease.tenant_id)
    const run = await runAttempt(deps, attempt)
    running--
    standings.ended(lease.tenant_id)
    deps.freed(false)
    if (run && !given.has(attempt)) await finisher.finish(attempt, run)
    held.delete(attempt)
    deps.freed(rules.tenant_max_running !== null)
  }
  /** Whose end was written although their handler still runs. */
  const given = new WeakSet<Attempt>()
  const giveBack = async (attempt: Attempt): Promise<void> => {
    given.add(attempt)
    await finisher.finish(attempt, { ending: { outcome: 'released' }, result: null })
  }
  return {
    free: () => (held.size - running > count * behind_max ? 0 : count - running),
    begin: (taken, claimed_ms) => {
      for (const lease of taken) {
        const { rules, handler } = builtInOf(deps, lease)
        const attempt = openAttempt(lease, rules, handler, claimed_ms)
        if (lease.cancel_requested) stopAttempt(attempt, 'cancelled')
        deps.budgets.started(lease.type, 1)
        held.set(attempt, work(attempt))
      }
    },
    held: () => [...held.keys()],
    empty: async grace_seconds => {
      for (const attempt of held.keys()) stopAttempt(attempt, 'stopping')
      const late = wait(grace_seconds * 1000, undefined, { ref: false })
      await Promise.race([Promise.all(held.values()), late])
      await Promise.all([...held.keys()].map(giveBack))
    },
  }
}

function builtInOf({ builtIns }: PlacesDeps, { type, schema_version }: Taken): BuiltIn {
  const found = builtIns().find(
    ({ rules }) => rules.type === type && rules.schema_version === schema_version,
  )
  if (!found) throw new Error(`a job of type ${type} was claimed, and nobody here can run it`)
  return found
}
