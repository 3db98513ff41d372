/** The stored steps of one run, as its attempt uses them. */
import { Type } from 'typebox'
import { JobFailure, nullable, sql } from '#dodeca/kernel'
import type { StepLog, StoredStep, Tx } from '#dodeca/kernel'
import type { Attempting, StepDeps } from './attempting.ts'
import { waitForEvent } from './await-event.ts'
import { waitForSignal } from './await-signal.ts'
import { invokeRun } from './invoke-run.ts'
import { after, commitStep, recordStep, resultText, Stored, stored } from './record-step.ts'
import type { Ended, Lease, NewStep } from './record-step.ts'

const Run = Type.Object({ undoing: nullable(Type.String()), round: Type.Integer() })
const Loaded = Type.Object({ ...Stored.properties, wait: nullable(Type.Boolean()) })

const sleep_days_max = 366

export function openStepLog(deps: StepDeps, lease: Lease, ended: Ended): StepLog {
  const open = new Map<string, boolean | null>()
  let count = 0
  const at: Attempting = {
    deps,
    lease,
    ended,
    wait: name => {
      const is_open = open.get(name) ?? null
      if (is_open === null) return 'none'
      return is_open ? 'open' : 'closed'
    },
    next: (is_undo = false) => {
      if (!is_undo && count >= deps.kernel.settings['jobs.steps_per_run']) {
        throw new JobFailure('too_many_steps')
      }
      return ++count
    },
  }
  return {
    load: async () => {
      const { steps, run } = await load(deps, lease)
      count = steps.length
      for (const { name, wait } of steps) open.set(name, wait)
      return { steps, ...run }
    },
    write: (kind, name, effect, known) => write(at, { kind, name }, effect, known),
    done: (kind, name, attempts, value) => recordResult(at, { kind, name, attempts }, value),
    failed: (kind, name, attempts, { code: error_code, retry_after_seconds: wait }) => {
      const state = wait === null ? 'failed' : 'retrying'
      const until = wait === null ? null : after(wait)
      return record(at, { name, kind, state, attempts, error_code, until }, attempts > 1)
    },
    sleep: (name, time, known) => sleep(at, name, time, known),
    event: (name, wait, known) => waitForEvent(at, name, wait, known),
    signal: (name, wait, known) => waitForSignal(at, name, wait, known),
    invoke: (name, order, known) => invokeRun(at, name, order, known),
    failing: why => noteFailure(at, why),
  }
}

/** A step that is known keeps its number. */
async function record(
  at: Attempting,
  step: Omit<NewStep, 'sequence'>,
  is_known: boolean,
  unless_cancelled = false,
): Promise<StoredStep> {
  const { deps, lease, ended } = at
  const sequence = is_known ? 0 : at.next(step.kind === 'undo')
  const { db, fault } = deps.kernel
  const written = await recordStep(db, lease, ended, { ...step, sequence }, unless_cancelled)
  await fault('jobs.after_step')
  return written
}

async function write(
  at: Attempting,
  { kind, name }: { readonly kind: 'write' | 'undo'; readonly name: string },
  effect: (tx: Tx) => Promise<unknown>,
  known: StoredStep | undefined,
): Promise<StoredStep> {
  const { deps, lease, ended } = at
  const { db, fault, settings } = deps.kernel
  const sequence = known ? 0 : at.next(kind === 'undo')
  const attempts = (known?.attempts ?? 0) + 1
  const step = await commitStep(db, lease, ended, async tx => {
    await fault('jobs.before_step')
    const result = resultText(await effect(tx), settings['jobs.step_result_bytes'])
    await fault('jobs.after_step_effect')
    await fault('jobs.before_step_commit')
    return { name, sequence, kind, state: 'done', attempts, result }
  })
  await fault('jobs.after_step')
  return step
}

async function recordResult(
  at: Attempting,
  step: Pick<StoredStep, 'name' | 'kind' | 'attempts'>,
  value: unknown,
): Promise<StoredStep> {
  const { fault, settings } = at.deps.kernel
  await fault('jobs.after_step_effect')
  const is_known = step.attempts > 1
  let result: string
  try {
    result = resultText(value, settings['jobs.step_result_bytes'])
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error
    // The call has happened, so a retry would not make its result smaller.
    return await record(at, { ...step, state: 'failed', error_code: error.code }, is_known)
  }
  return await record(at, { ...step, state: 'done', result }, is_known)
}

async function sleep(
  at: Attempting,
  name: string,
  time: Parameters<StepLog['sleep']>[1],
  known: StoredStep | undefined,
): Promise<StoredStep> {
  if (known && !known.is_due) return known
  const over = { name, kind: 'sleep', state: 'done' } as const
  if (known) return await record(at, over, true)
  requireNear(at.deps, time)
  const until = 'seconds' in time ? after(time.seconds) : sql`${time.until}::timestamptz`
  const slept = await record(at, { name, kind: 'sleep', state: 'waiting', until }, false, true)
  return slept.is_due ? await record(at, over, true) : slept
}

async function noteFailure(
  { deps, lease, ended }: Attempting,
  { code, step, undoing }: Parameters<StepLog['failing']>[0],
): Promise<void> {
  const changed = await deps.kernel.db.run(sql`
    -- any tenant: a lease token is for one attempt
    update jobs.runs r
    set undoing = case when ${undoing} then ${code} end, failed_step = ${step}
    from jobs.job_attempts a
    where a.id = ${lease.attempt_id} and a.lease_token = ${lease.token_hash}
      and a.state = 'running' and a.leased_until > now()
      and r.tenant_id = a.tenant_id and r.job_id = a.job_id`)
  if (changed === 0) throw ended.lost()
}

/** Before its first attempt, a run has no steps. */
async function load({ kernel: { db } }: StepDeps, { tenant_id, job_id, attempt_no }: Lease) {
  if (attempt_no === 1) return { steps: [], run: { undoing: null, round: 0 } }
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
