/**
 * A demo job type, in development only. It counts and reports each step. It continues where an
 * earlier attempt stopped, can be cancelled between two steps, and fails on request.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { closed, count, Id, JobFailure, type JobType, type RunningJob } from '#dodeca/kernel'

const Parameters = closed({
  to: Type.Optional(count(1, 100_000)),
  /** Pause before each step. */
  step_ms: Type.Optional(count(0, 60_000)),
  /** Fails at this step. With `failures`, it fails only in that many attempts. */
  fail_at: Type.Optional(count(1, 100_000)),
  failures: Type.Optional(count(1, 100)),
})
type Parameters = Static<typeof Parameters>

const Counted = Type.Object({ counted: Type.Integer(), attempt_no: Type.Integer(), job_id: Id })

export const demoCount: JobType = {
  type: 'demo.count',
  schema_version: 1,
  parameters: Parameters,
  result: Counted,
  offered: true,
  backoff: { base_ms: 500, cap_ms: 5000 },
  run: countUp,
}

async function countUp(job: RunningJob): Promise<Static<typeof Counted>> {
  // Checked against the schema above when it was submitted.
  const { to = 10, step_ms = 0, fail_at, failures } = job.parameters as Parameters
  // A checkpoint is written immediately, so twice a second is enough.
  const save_every = Math.ceil(500 / Math.max(step_ms, 1))
  const fails = failures === undefined || job.attempt_no <= failures
  for (let current = startOf(job.checkpoint); current < to;) {
    await pause(step_ms, undefined, { signal: job.signal })
    current++
    if (current === fail_at && fails) {
      throw new JobFailure('counting_failed', { retryable: failures !== undefined })
    }
    const saved = current % save_every === 0 ? { checkpoint: current } : {}
    await job.progress({ stage: 'counting', current, total: to, ...saved })
  }
  return { counted: to, attempt_no: job.attempt_no, job_id: job.id }
}

function startOf(checkpoint: unknown): number {
  return typeof checkpoint === 'number' ? checkpoint : 0
}
