/**
 * Work for tests. What a handler does is in its parameters, so that it is the same in a process that
 * will be killed; a test in the same process holds handlers at gates and lets them go.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { JobFailure, sql, type JobType, type RunningJob, type Tx } from '#dodeca/kernel'

type Gate = {
  readonly arrived: RunningJob[]
  readonly opened: Promise<unknown>
  open(): void
}

const gates = new Map<string, Gate>()

/** Handlers whose parameters name this gate wait at it, whatever their signal says. */
export function gate(name: string): Gate {
  const known = gates.get(name)
  if (known) return known
  const { promise: opened, resolve } = Promise.withResolvers<null>()
  const made: Gate = { arrived: [], opened, open: () => resolve(null) }
  gates.set(name, made)
  return made
}

const Parameters = Type.Object({
  /** Waits at this gate. */
  gate: Type.Optional(Type.String()),
  /** Waits so long, and stops at once when it is asked to. */
  wait_ms: Type.Optional(Type.Integer()),
  /** Fails as long as its attempt has a number up to this one. */
  fails: Type.Optional(Type.Integer()),
  final: Type.Optional(Type.Boolean()),
  /** Ends its process as long as its attempt has a number up to this one. */
  kills: Type.Optional(Type.Integer()),
  /** Writes an effect in the commit that ends it. */
  commits: Type.Optional(Type.Boolean()),
  result: Type.Optional(Type.Unknown()),
  /** Stores this text as its result, and its length as what it used. */
  stores: Type.Optional(Type.String()),
  /** Steps of progress, each with a checkpoint; it goes on after the last one that was saved. */
  steps: Type.Optional(Type.Integer()),
})

async function toil(job: RunningJob): Promise<unknown> {
  // The registry has checked it against the schema at submission.
  const given = job.parameters as Static<typeof Parameters>
  const { attempt_no } = job
  if (given.gate) {
    const { arrived, opened } = gate(given.gate)
    arrived.push(job)
    await opened
  }
  if (given.wait_ms) {
    await wait(given.wait_ms, undefined, { signal: job.signal }).catch(() => {
      throw job.signal.reason
    })
  }
  for (let step = Number(job.checkpoint ?? 0) + 1; step <= (given.steps ?? 0); step++) {
    await job.progress({ stage: 'toiling', current: step, checkpoint: step })
  }
  if (attempt_no <= (given.kills ?? 0)) process.kill(process.pid, 'SIGKILL')
  if (attempt_no <= (given.fails ?? 0))
    throw new JobFailure('toil_failed', { retryable: !given.final })
  if (given.stores) {
    await job.store('text/plain', Buffer.from(given.stores))
    await job.usage({ bytes: given.stores.length })
  }
  if (given.commits) await job.commit(tx => effect(tx, job))
  return given.result
}

async function effect(tx: Tx, job: RunningJob): Promise<void> {
  await tx.run(sql`
    insert into public.effects (job_id, attempt_no, note)
    values (${job.id}, ${job.attempt_no}, 'committed')`)
}

const base = { schema_version: 1, parameters: Parameters, offered: true, run: toil } as const

export const toils: readonly JobType[] = [
  { ...base, type: 'toil.any', backoff: { base_ms: 1, cap_ms: 1 } },
  /** A lease of a second: lost soon. */
  { ...base, type: 'toil.short', lease_seconds: 1, backoff: { base_ms: 1, cap_ms: 1 } },
  { ...base, type: 'toil.brief', timeout_seconds: 1, backoff: { base_ms: 1, cap_ms: 1 } },
  { ...base, type: 'toil.capped', tenant_max_running: 3 },
  { ...base, type: 'toil.slow', backoff: { base_ms: 3_600_000, cap_ms: 3_600_000 } },
]
