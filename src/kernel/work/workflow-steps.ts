/**
 * The steps that a body calls in one attempt. A step that is over returns its result, one that waits
 * does not return: once nothing runs and something waits, the body is blocked. A name is used once in
 * an attempt, and names a step of the same kind in all of them.
 */
import { createHash } from 'node:crypto'
import { JobPutOff } from '../errors/job-failure.ts'
import { attemptCall, writeOnce } from './attempt-step.ts'
import type { RunningJob, StepKind, StoredStep } from './job-type.ts'
import { StepFailed } from './workflow-step.ts'
import type { Signal, Step, WaitedEvent } from './workflow-step.ts'

export type Steps = {
  readonly step: Step
  readonly blocked: Promise<unknown>
  /** Begins no more steps, and resolves when none runs. */
  close(): Promise<void>
  /** What ended the attempt although no step has failed, or undefined. */
  broken(): { readonly error: Error } | undefined
  putOff(): JobPutOff
  /** The undos of the steps that are done, the last one first. */
  undos(): readonly (() => Promise<StoredStep>)[]
}

/** The body uses its steps in a way that no retry can mend. */
export class StepMisused extends Error {
  override readonly name = 'StepMisused'
  readonly code: string
  constructor(code: string, step: string) {
    super(`${code}: ${step}`)
    this.code = code
  }
}

type Stored = { readonly steps: readonly StoredStep[]; readonly round: number }
type Go = (known: StoredStep | undefined) => Promise<StoredStep>

/** A body that has run for so long goes on in another attempt, so that others get their turn. */
const turn_ms = 120_000
const name_pattern = /^(?!undo )[A-Za-z0-9][A-Za-z0-9 _.:-]{0,99}$/
const over = new Set<StoredStep['state']>(['done', 'failed', 'timed_out'])

class Pass {
  readonly job: RunningJob
  readonly known: ReadonlyMap<string, StoredStep>
  readonly key: (name: string) => string
  readonly only_known: boolean
  readonly blocked = Promise.withResolvers<null>()
  private readonly used = new Set<string>()
  private readonly waiting: StoredStep[] = []
  private readonly idle: (() => void)[] = []
  private readonly began_ms = performance.now()
  private active = 0
  private calls = 0
  private closed = false
  private late = false
  broken: { readonly error: Error } | undefined

  constructor(job: RunningJob, stored: Stored, only_known: boolean) {
    this.job = job
    this.known = new Map(stored.steps.map(one => [one.name, one]))
    this.key = name => keyOf(job.id, name, stored.round)
    this.only_known = only_known
  }

  async take(name: string, kind: StepKind, go: Go): Promise<StoredStep> {
    if (this.closed || this.broken) return await never
    this.calls++
    const known = this.known.get(name)
    const misused = this.misuse(name, kind, known)
    if (misused !== null) {
      this.break(new StepMisused(misused, name))
      return await never
    }
    if (known && over.has(known.state)) {
      this.look()
      return known
    }
    if (this.only_known) return await this.wait(known)
    if (performance.now() - this.began_ms > turn_ms) {
      this.late = true
      return await this.wait(known)
    }
    const step = await this.work(() => go(known))
    if (step === undefined) return await never
    return over.has(step.state) ? step : await this.wait(step)
  }

  /** What is not the step's own failure ends the attempt, and the body does not see it. */
  private async work(go: () => Promise<StoredStep>): Promise<StoredStep | undefined> {
    this.active++
    try {
      this.job.signal.throwIfAborted()
      return await go()
    } catch (error) {
      this.break(error)
      return undefined
    } finally {
      this.active--
      if (this.active === 0) for (const resolve of this.idle.splice(0)) resolve()
      this.look()
    }
  }

  private misuse(name: string, kind: StepKind, known: StoredStep | undefined): string | null {
    if (!name_pattern.test(name)) return 'step_name_invalid'
    if (this.used.has(name)) return 'step_repeated'
    this.used.add(name)
    return known && known.kind !== kind ? 'step_changed' : null
  }

  private wait(step: StoredStep | undefined): Promise<never> {
    if (step) this.waiting.push(step)
    this.look()
    return never
  }

  /** The body goes on in microtasks after a step. What calls no step by then is blocked. */
  private look(): void {
    const { calls } = this
    setImmediate(() => {
      if (this.active > 0 || this.calls !== calls) return
      if (this.waiting.length > 0 || this.late || this.only_known) this.blocked.resolve(null)
    })
  }

  private break(error: unknown): void {
    this.broken ??= {
      error: error instanceof Error ? error : new Error('thrown', { cause: error }),
    }
    this.blocked.resolve(null)
  }

  async close(): Promise<void> {
    this.closed = true
    if (this.active > 0) await new Promise<void>(resolve => this.idle.push(resolve))
  }

  putOff(): JobPutOff {
    if (this.late) return new JobPutOff(0)
    const names = this.waiting.map(one => one.name)
    const times = this.waiting.flatMap(one => one.until ?? []).sort()
    return new JobPutOff(0, { names, wake_at: times[0] ?? null })
  }
}

const never = new Promise<never>(() => {})

/** A UUID of the run and the name. */
function keyOf(run_id: string, name: string, round: number): string {
  const hash = createHash('sha256').update(`${run_id} ${round} ${name}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}

export function openSteps(
  job: RunningJob,
  stored: Stored,
  { only_known }: { readonly only_known: boolean },
): Steps {
  const pass = new Pass(job, stored, only_known)
  const undos: (() => Promise<StoredStep>)[] = []
  const log = job.steps
  const undoAs = (name: string, go: Go) => {
    undos.push(async () => {
      const known = pass.known.get(name)
      return known && over.has(known.state) ? known : await go(known)
    })
  }
  const step: Step = {
    write: async (name, effect, { undo } = {}) => {
      const go: Go = known => writeOnce(log, 'write', name, effect, known)
      const result = valueOf(await pass.take(name, 'write', go)) as never
      const own = `undo ${name}`
      if (undo) undoAs(own, known => writeOnce(log, 'undo', own, tx => undo(tx, result), known))
      return result
    },
    run: async (name, call, { undo, ...options } = {}) => {
      const key = pass.key(name)
      const ended = await pass.take(name, 'run', known =>
        attemptCall({ job, log, kind: 'run', name, key, known }, call, options),
      )
      const result = valueOf(ended) as never
      const own = `undo ${name}`
      if (undo) {
        undoAs(own, known => {
          const attempt = { job, log, kind: 'undo', name: own, key: pass.key(own), known } as const
          return attemptCall(attempt, given => undo({ ...given, result }), {})
        })
      }
      return result
    },
    sleep: async (name, time) => {
      await pass.take(name, 'sleep', known => log.sleep(name, time, known))
    },
    waitForEvent: async (name, wait) =>
      valueOf(await pass.take(name, 'event', known => log.event(name, wait, known))) as WaitedEvent,
    signal: async (name, wait) =>
      valueOf(await pass.take(name, 'signal', known => log.signal(name, wait, known))) as Signal,
    invoke: async (name, { type, schema_version }, input) => {
      const order = { type, schema_version, input }
      return valueOf(
        await pass.take(name, 'invoke', known => log.invoke(name, order, known)),
      ) as never
    },
  }
  return {
    step,
    blocked: pass.blocked.promise,
    close: () => pass.close(),
    broken: () => pass.broken,
    putOff: () => pass.putOff(),
    undos: () => [...undos].reverse(),
  }
}

/** Null for a wait that was over before anything came. */
function valueOf({ name, state, result, error_code }: StoredStep): unknown {
  if (state === 'failed') throw new StepFailed(name, error_code ?? 'step_failed')
  return state === 'timed_out' ? null : result
}
