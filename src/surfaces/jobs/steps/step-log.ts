/** The stored steps of one run, as its attempt uses them. */
import { Type, type Static } from 'typebox'
import { JobFailure, nullable, sql } from '#dodeca/kernel'
import type { StepKind, StepLog, StoredStep } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { waitForEvent } from './await-event.ts'
import { waitForSignal } from './await-signal.ts'
import { invokeRun } from './invoke-run.ts'
import { after, recordStep, resultText, Stored, stored } from './record-step.ts'
import type { Ended, Lease, NewStep } from './record-step.ts'

export type StepDeps = Pick<Deps, 'kernel' | 'types' | 'listeners' | 'quota' | 'files'>

/** What the steps of one attempt share. */
export type Attempting = {
  readonly deps: StepDeps
  readonly lease: Lease
  readonly ended: Ended
  /** Whether the stored wait of a step is still there, and open. */
  wait(name: string): 'none' | 'closed' | 'open'
  /** The number of the next step, if the run may have one more. */
  next(): number
}

const Run = Type.Object({ undoing: nullable(Type.String()), round: Type.Integer() })
const Loaded = Type.Object({ ...Stored.properties, wait: nullable(Type.Boolean()) })

const sleep_days_max = 366

export function openStepLog(deps: StepDeps, lease: Lease, ended: Ended): StepLog {
  const { db, fault, settings } = deps.kernel
  const bytes_max = settings['jobs.step_result_bytes']
  const open = new Map<string, boolean | null>()
  let count = 0
  const at: Attempting = {
    deps,
    lease,
    ended,
    wait: name => {
      const is_open = open.get(name) ?? null
      return is_open === null ? 'none' : is_open ? 'open' : 'closed'
    },
    next: () => {
      if (count >= settings['jobs.steps_per_run']) throw new JobFailure('too_many_steps')
      return ++count
    },
  }
  const record = async (step: Omit<NewStep, 'sequence'>, known?: StoredStep, cancels = false) => {
    const sequence = known || step.kind === 'undo' ? count : at.next()
    const written = await recordStep(db, lease, ended, { ...step, sequence }, cancels)
    await fault('jobs.after_step')
    return written
  }
  return {
    load: async () => {
      const { steps, run } = await load(deps, lease)
      count = steps.length
      for (const { name, wait } of steps) open.set(name, wait)
      return { steps, ...run }
    },
    write: async (name, effect, known) => {
      const sequence = known ? count : at.next()
      const attempts = (known?.attempts ?? 0) + 1
      const step = await db.tx(async tx => {
        await fault('jobs.before_step')
        const result = resultText(await effect(tx), bytes_max)
        await fault('jobs.after_step_effect')
        const done = { name, sequence, kind: 'write', state: 'done', attempts, result } as const
        const written = await recordStep(tx, lease, ended, done, true)
        await fault('jobs.before_step_commit')
        return written
      })
      await fault('jobs.after_step')
      return step
    },
    done: async (kind, name, attempts, value) => {
      await fault('jobs.after_step_effect')
      const known = attempts > 1 ? ({} as StoredStep) : undefined
      try {
        const result = resultText(value, bytes_max)
        return await record({ name, kind, state: 'done', attempts, result }, known)
      } catch (error) {
        if (!(error instanceof JobFailure)) throw error
        // The call has happened, so a retry would not make its result smaller.
        const { code: error_code } = error
        return await record({ name, kind, state: 'failed', attempts, error_code }, known)
      }
    },
    failed: async (kind, name, attempts, { code: error_code, retry_after_seconds: wait }) => {
      const state = wait === null ? 'failed' : 'retrying'
      const until = wait === null ? null : after(wait)
      const known = attempts > 1 ? ({} as StoredStep) : undefined
      return await record({ name, kind, state, attempts, error_code, until }, known)
    },
    sleep: async (name, time, known) => {
      if (known && !known.is_due) return known
      const kind: StepKind = 'sleep'
      if (known) return await record({ name, kind, state: 'done' }, known)
      const until = 'seconds' in time ? after(time.seconds) : sql`${time.until}::timestamptz`
      requireNear(deps, time)
      const slept = await record({ name, kind, state: 'waiting', until }, undefined, true)
      return slept.is_due ? await record({ name, kind, state: 'done' }, slept) : slept
    },
    event: (name, wait, known) => waitForEvent(at, name, wait, known),
    signal: (name, wait, known) => waitForSignal(at, name, wait, known),
    invoke: (name, order, known) => invokeRun(at, name, order, known),
    failing: async ({ code, step, undoing }) => {
      const changed = await db.run(sql`
        -- any tenant: a lease token is for one attempt
        update jobs.runs r
        set undoing = case when ${undoing} then ${code} end, failed_step = ${step}
        from jobs.job_attempts a
        where a.id = ${lease.attempt_id} and a.lease_token = ${lease.token_hash}
          and a.state = 'running' and a.leased_until > now()
          and r.tenant_id = a.tenant_id and r.job_id = a.job_id`)
      if (changed === 0) throw ended.lost()
    },
  }
}

async function load({ kernel: { db } }: StepDeps, { tenant_id, job_id }: Lease) {
  const [steps, run] = await Promise.all([
    db.many(
      Loaded,
      sql`
      select ${stored}, w.is_open as wait from jobs.job_steps s
      left join jobs.step_waits w
        on w.tenant_id = s.tenant_id and w.job_id = s.job_id and w.name = s.name
      where s.tenant_id = ${tenant_id} and s.job_id = ${job_id}
      order by s.sequence`,
    ),
    db.one(
      Run,
      sql`
      select undoing, round from jobs.runs where tenant_id = ${tenant_id} and job_id = ${job_id}`,
    ),
  ])
  return { steps, run }
}

function requireNear({ kernel: { clock } }: StepDeps, time: Parameters<StepLog['sleep']>[1]): void {
  const ms =
    'seconds' in time ? time.seconds * 1000 : new Date(time.until).getTime() - clock.nowMs()
  if (Number.isNaN(ms) || ms > sleep_days_max * 86_400_000) throw new JobFailure('sleep_too_long')
}

export type LoadedStep = Static<typeof Loaded>
