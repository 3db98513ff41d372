/**
 * The child's side of the protocol for queues. It fills its queue, works it off, and reports the
 * time from the first start of a job until every end is written. Times are from the clock that all
 * processes of the machine share.
 */
import { nowMs } from '../answer-beats.ts'

/** The rates of the first and the last tenth, so that a slowdown is visible. */
export type Drained = {
  readonly seconds: number
  readonly first_rate: number
  readonly last_rate: number
}

export type WorkAsked =
  | { readonly ask: 'load'; readonly count: number; readonly tenants: number }
  | { readonly ask: 'drain'; readonly count: number }
  | { readonly ask: 'work' }
  | { readonly ask: 'handled' }
  | { readonly ask: 'left' }
  | { readonly ask: 'held' }
  | {
      readonly ask: 'few'
      readonly count: number
      readonly times: number
    }
  | { readonly ask: 'beat'; readonly count: number; readonly gap_ms: number }

export type Queue = {
  /** Waiting jobs, spread over this number of tenants if the queue has tenants. */
  load(count: number, tenants: number): Promise<void>
  /** Starts to work. Every handler reports its call. */
  work(handled: (beat_id?: string) => void): Promise<void>
  /** Jobs whose end is not written. */
  left(): Promise<number>
  /** Jobs that a worker holds. */
  held(): Promise<number>
  submit(beat_id: string): Promise<void>
  /**
   * Runs this number of jobs of a separate tenant, each with the given duration. Resolves when all
   * have ended.
   */
  few?(count: number): Promise<void>
  end(): Promise<void>
}

export function answerWork(queue: Queue): void {
  let handled = 0
  let working = false
  let marks: { readonly at: number; ms: number }[] = []
  const begun = new Map<string, number>()
  const hear = (beat_id?: string) => {
    handled++
    const [next] = marks
    if (next?.at === handled) {
      next.ms = nowMs()
      marks = [...marks.slice(1), next]
    }
    if (beat_id !== undefined) begun.set(beat_id, nowMs())
  }
  const begin = async () => {
    if (!working) await queue.work(hear)
    working = true
  }
  const drain = async (count: number): Promise<Drained> => {
    handled = 0
    const tenth = Math.ceil(count / 10)
    const [first, early, late, last] = [1, tenth, count - tenth, count].map(at => ({ at, ms: 0 }))
    if (!first || !early || !late || !last) throw new Error('there is nothing to do')
    marks = [first, early, late, last]
    await begin()
    while (handled < count) await pause(5)
    while ((await queue.left()) > 0) await pause(5)
    return {
      seconds: (nowMs() - first.ms) / 1000,
      first_rate: (tenth / (early.ms - first.ms)) * 1000,
      last_rate: (tenth / (last.ms - late.ms)) * 1000,
    }
  }
  const answer = async (asked: WorkAsked): Promise<unknown> => {
    switch (asked.ask) {
      case 'load':
        return await queue.load(asked.count, asked.tenants)
      case 'drain':
        return await drain(asked.count)
      case 'work':
        return await begin()
      case 'handled':
        return handled
      case 'left':
        return await queue.left()
      case 'held':
        return await queue.held()
      case 'few':
        await begin()
        return await fewTimes(queue, asked)
      case 'beat':
        await begin()
        return await beat(queue, begun, asked)
    }
  }
  const leave = async () => {
    await queue.end()
    process.exit(0)
  }
  process.on('message', (asked: WorkAsked) => {
    void answer(asked).then(done => process.send?.({ done: done ?? null }))
  })
  process.once('SIGTERM', () => void leave())
  process.once('disconnect', () => void leave())
  process.send?.({ ready: true })
}

/**
 * Submits at a steady rate, without waiting for earlier jobs. Returns the milliseconds from each
 * commit to its start.
 */
async function beat(
  queue: Queue,
  begun: Map<string, number>,
  { count, gap_ms }: { readonly count: number; readonly gap_ms: number },
): Promise<number[]> {
  const submitted = new Map<string, number>()
  const submissions: Promise<void>[] = []
  const submit = async (beat_id: string) => {
    await queue.submit(beat_id)
    submitted.set(beat_id, nowMs())
  }
  begun.clear()
  const from_ms = nowMs()
  for (let n = 0; n < count; n++) {
    submissions.push(submit(String(n)))
    await pause(Math.max(0, from_ms + (n + 1) * gap_ms - nowMs()))
  }
  await Promise.all(submissions)
  const patience_ms = nowMs() + 10_000
  while (begun.size < count && nowMs() < patience_ms) await pause(20)
  return [...submitted].map(([id, at_ms]) => (begun.get(id) ?? Infinity) - at_ms)
}

async function fewTimes(
  queue: Queue,
  { count, times }: { readonly count: number; readonly times: number },
): Promise<number[]> {
  const times_ms: number[] = []
  for (let n = 0; n < times; n++) {
    const from_ms = nowMs()
    await queue.few?.(count)
    times_ms.push(nowMs() - from_ms)
  }
  return times_ms
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
