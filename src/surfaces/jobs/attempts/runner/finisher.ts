/**
 * Writes the ends of attempts together: while one batch commits, the next one collects. An end is
 * sent again until it is settled: with the new version after a conflict, and after the database is
 * back. We stop when the lease cannot be valid any more.
 */
import { logFailure, type Log } from '#dodeca/kernel'
import { setTimeout as wait } from 'node:timers/promises'
import { finalize, type FinalizeDeps } from '../ends/finish-attempts.ts'
import type { Finished } from '../ends/refuse-stale-lease.ts'
import type { Attempt } from './attempt.ts'
import type { Run } from './run-attempt.ts'

export type Finisher = {
  /** Resolves when the end is settled, with any result. */
  finish(attempt: Attempt, run: Run): Promise<void>
  waiting(): number
}

export type FinisherDeps = FinalizeDeps & { readonly log: Log; now(): number }

type Ending = { readonly attempt: Attempt; readonly run: Run; decided(): void }

const batch_max = 100
const pause_ms = 500

export function openFinisher(deps: FinisherDeps): Finisher {
  const queue: Ending[] = []
  let working = 0

  const work = async () => {
    working++
    while (queue.length > 0) {
      const batch = queue.splice(0, batch_max)
      const left = await present(deps, batch)
      queue.unshift(...left)
    }
    working--
  }
  return {
    finish: (attempt, run) =>
      new Promise(resolve => {
        queue.push({ attempt, run, decided: resolve })
        // Waits for one turn of the event loop, so that ends of the same turn go together.
        if (working === 0) setImmediate(() => void (working === 0 ? work() : undefined))
      }),
    waiting: () => queue.length,
  }
}

/** Returns the ends that must be sent again. */
async function present(deps: FinisherDeps, batch: readonly Ending[]): Promise<Ending[]> {
  const finishes = batch.map(({ attempt, run }) => {
    const { attempt_id, token_hash } = attempt.lease
    return { attempt_id, token_hash, version: attempt.version, ...run }
  })
  try {
    const said = await finalize(deps, finishes)
    const broken = said.find(one => one.said === 'broken')
    if (broken) await rest(deps, broken.error)
    return batch.filter((one, at) => !isDecided(deps, one, said[at]))
  } catch (error) {
    await rest(deps, error)
    return batch.filter(one => !isOver(deps, one))
  }
}

async function rest({ log }: FinisherDeps, error: unknown): Promise<void> {
  logFailure(log, { err: error }, 'an end of a job was not written; trying again')
  await wait(pause_ms)
}

function isDecided(deps: FinisherDeps, one: Ending, said: Finished | undefined): boolean {
  if (said?.said === 'broken') return isOver(deps, one)
  if (said?.said === 'version_conflict') {
    one.attempt.version = said.current_version
    return false
  }
  if (said?.said === 'lease_lost') {
    const { job_id } = one.attempt.lease
    deps.log.info({ job_id }, 'a lease was lost before its end was written')
  }
  one.decided()
  return true
}

/** Once the lease cannot be valid any more, the sweep ends the attempt. */
function isOver({ now }: FinisherDeps, { attempt, decided }: Ending): boolean {
  if (now() < attempt.held_ms) return false
  decided()
  return true
}
