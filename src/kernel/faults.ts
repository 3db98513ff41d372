/**
 * Fault points: named points in the code at which a test, or `/dev/faults`, may kill, throw, hang,
 * delay, or hold the work until the fault is cleared. In production no fault can be set, and a point
 * costs one look-up in an empty map.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from './errors/start-error.ts'

export type FaultAction = 'kill' | 'throw' | 'hang' | 'hold' | `delay:${number}`
export type FaultRule = {
  point: string
  action: FaultAction
  times: number | null
  skip: number
  passed: number
  /** Limits the fault to work for this tenant, or about a resource with this id. */
  match: string | null
}
export type Fault = (point: string) => Promise<void> | undefined

export type Faults = {
  readonly fault: Fault
  set(rule: {
    point: string
    action: FaultAction
    times?: number | undefined
    skip?: number | undefined
    match?: string | undefined
  }): void
  list(): FaultRule[]
  /** Clears one point, or all, and work that is held there goes on. */
  clear(point?: string): void
}

const action = /^(kill|throw|hang|hold|delay:\d{1,6})$/

export function isFaultAction(text: string): text is FaultAction {
  return action.test(text)
}

export class InjectedFault extends Error {
  override readonly name = 'InjectedFault'
}

/**
 * `initial` has the form of KERNEL_FAULTS: `point=action@n,…`. The fault happens when the code
 * passes the point for the n-th time. `about` returns the tenant and the ids of the running work.
 */
export function openFaults(initial: string, about: () => readonly string[] = () => []): Faults {
  const rules = new Map<string, FaultRule>()
  const set: Faults['set'] = ({ point, action, times, skip, match }) => {
    const rule = { point, action, times: times ?? null, skip: skip ?? 0, passed: 0 }
    rules.set(point, { ...rule, match: match ?? null })
  }
  for (const entry of initial.split(',').filter(Boolean)) {
    const match = /^([a-z0-9_.]+)=([a-z:0-9]+)(?:@(\d+))?$/.exec(entry.trim())
    if (!match?.[1] || !match[2] || !isFaultAction(match[2])) {
      throw new StartError(
        `KERNEL_FAULTS: "${entry}" is not understood. Write point=kill, point=throw, point=hang, point=hold or point=delay:100, with @3 for the third pass.`,
      )
    }
    const nth = match[3] ? Number(match[3]) : undefined
    set({ point: match[1], action: match[2], times: nth ? 1 : undefined, skip: nth ? nth - 1 : 0 })
  }
  const held = async (rule: FaultRule) => {
    while (rules.get(rule.point) === rule) await wait(5)
  }
  return {
    fault: point => {
      if (rules.size === 0) return undefined
      const rule = rules.get(point)
      if (!rule || (rule.match !== null && !about().includes(rule.match))) return undefined
      rule.passed++
      const hits = rule.passed - rule.skip
      if (hits <= 0 || (rule.times !== null && hits > rule.times)) return undefined
      return rule.action === 'hold' ? held(rule) : strike(point, rule.action)
    },
    set,
    list: () => [...rules.values()],
    clear: point => (point === undefined ? rules.clear() : void rules.delete(point)),
  }
}

async function strike(point: string, action: Exclude<FaultAction, 'hold'>): Promise<void> {
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  if (action === 'throw') throw new InjectedFault(`fault injected at ${point}`)
  // The kill is a signal to our own process. Nothing after this line may run before the signal
  // arrives.
  if (action === 'hang' || action === 'kill') await new Promise(() => {})
  await wait(Number(action.slice('delay:'.length)))
}
