/**
 * Workflows for tests. What a body does is in its input, so that it is the same in a process that is
 * killed: a list of steps, one after the other. `effects` is a table that steps write to, so that a
 * test sees what was committed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { JobFailure, sql, workflow } from '#dodeca/kernel'
import type { JobType, Kernel, RunFacts, Step, StepCall, Tx } from '#dodeca/kernel'

const Order = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  /** Fails as often as this. */
  fails: Type.Optional(Type.Integer()),
  final: Type.Optional(Type.Boolean()),
  retries: Type.Optional(Type.Integer()),
  undo: Type.Optional(Type.Boolean()),
  seconds: Type.Optional(Type.Number()),
  aggregate: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  where: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  of: Type.Optional(Type.String()),
  /** So many steps, with numbers after the name. */
  times: Type.Optional(Type.Integer()),
  /** The steps of an invoked run. */
  child: Type.Optional(Type.Array(Type.Unknown())),
  /** These run together. */
  together: Type.Optional(Type.Array(Type.Unknown())),
  /** A call notes its key where a test sees it, also from another process. */
  noted: Type.Optional(Type.Boolean()),
  /** A write takes so long. */
  pause_ms: Type.Optional(Type.Integer()),
})
type Order = Static<typeof Order>

const Input = Type.Object({
  steps: Type.Array(Order),
  person: Type.Optional(Type.String()),
  fails: Type.Optional(Type.Boolean()),
})

/** How often a call outside was made, by its name, and with which keys, in this process. */
export const calls = new Map<string, string[]>()
/** Calls that fail, whatever their input says, until a test lets them succeed. */
export const ill = new Set<string>()

async function note(tx: Pick<Tx, 'run'>, job_id: string, text: string): Promise<string> {
  await tx.run(sql`
    insert into public.effects (job_id, attempt_no, note) values (${job_id}, 0, ${text})`)
  return text
}

/** What a step has written is deleted, and a note of it stays. */
async function takeBack(tx: Tx, job_id: string, written: string): Promise<void> {
  if (ill.has(`undo ${written}`)) throw new JobFailure('no_undo')
  await tx.run(sql`
    delete from public.effects where job_id = ${job_id} and note = ${written}`)
  await note(tx, job_id, `undo ${written}`)
}

function outside(one: Order, { kernel, id }: RunFacts, name = one.name) {
  return async ({ key }: StepCall): Promise<string> => {
    if (one.noted) await note(kernel.db, id, `${name} ${key}`)
    const keys = calls.get(name) ?? []
    calls.set(name, [...keys, key])
    if (ill.has(name)) throw new JobFailure('vendor_said_no')
    if (keys.length < (one.fails ?? 0)) {
      const options = { retryable: one.final !== true, retry_after_seconds: 0 }
      throw new JobFailure('vendor_failed', options)
    }
    return `${name} done`
  }
}

async function take(step: Step, one: Order, run: RunFacts): Promise<unknown> {
  const { name, seconds = 3600 } = one
  switch (one.kind) {
    case 'write':
      return await step.write(
        name,
        async tx => {
          const written = await note(tx, run.id, name)
          if (one.pause_ms) await wait(one.pause_ms)
          return written
        },
        one.undo ? { undo: (tx, written) => takeBack(tx, run.id, written) } : {},
      )
    case 'run': {
      const undo = one.undo ? outside({ ...one, fails: 0 }, run, `undo ${name}`) : undefined
      const options = { ...(one.retries !== undefined && { retries: one.retries }) }
      return await step.run(name, outside(one, run), { ...options, ...(undo && { undo }) })
    }
    case 'sleep':
      return await step.sleep(name, { seconds })
    case 'event':
      return await step.waitForEvent(name, {
        type: one.type ?? 'job_type.paused',
        where: { ...one.where, ...(one.aggregate && { '/aggregate_id': one.aggregate }) },
        timeout_seconds: seconds,
      })
    case 'signal':
      return await step.signal(name, { timeout_seconds: seconds, ...(one.of && { of: one.of }) })
    case 'invoke':
      return await step.invoke(name, listed, { steps: (one.child ?? []) as Order[] })
    case 'together':
      return await Promise.all((one.together as Order[]).map(each => take(step, each, run)))
    default:
      throw new JobFailure(one.name)
  }
}

const listed = workflow(
  'test.listed',
  1,
  { input: Input, person: '/person', offered: true, lease_seconds: 2 },
  async (step, { steps }, run: RunFacts): Promise<unknown> => {
    const results: unknown[] = []
    for (const one of steps) {
      for (let n = 0; n < (one.times ?? 1); n++) {
        const name = one.times === undefined ? one.name : `${one.name} ${n}`
        results.push(await take(step, { ...one, name }, run))
      }
    }
    return { results }
  },
)

const checkedRun = workflow(
  'test.checked',
  1,
  { input: Input, permission: 'jobs.types.read', checked: true },
  async (step, { steps }, run: RunFacts): Promise<unknown> => {
    for (const one of steps) await take(step, one, run)
    return {}
  },
)

export const runs = (kernel: Kernel): readonly JobType[] =>
  [listed, checkedRun].map(one => one.jobType({ kernel, needs: {} }))
