/**
 * The child's half of the talk about queues: it fills its queue, works it off, and says how long that
 * took: from the first job that begins until every end is written. Times are of the clock that all
 * processes of the machine share.
 */
import { nowMs } from '../answer-beats.ts'

export type Drained = { readonly jobs: number; readonly seconds: number }

export type WorkAsked =
  | { readonly ask: 'load'; readonly count: number; readonly tenants: number }
  | { readonly ask: 'drain'; readonly count: number }
  | { readonly ask: 'beat'; readonly count: number; readonly gap_ms: number }
  | { readonly ask: 'latencies' }

export type Queue = {
  /** Jobs that wait, of so many tenants where there is such a thing. */
  load(count: number, tenants: number): Promise<void>
  /** Begins to work; every handler that is called says so. */
  work(handled: (beat_id?: string) => void): Promise<void>
  /** Whether everything that was handled is written. */
  settled(): Promise<boolean>
  submit(beat_id: string): Promise<void>
  end(): Promise<void>
}

export function answerWork(queue: Queue): void {
  let handled = 0
  let first_ms = 0
  let working = false
  const submitted = new Map<string, number>()
  const begun = new Map<string, number>()
  const hear = (beat_id?: string) => {
    if (handled++ === 0) first_ms = nowMs()
    if (beat_id !== undefined) begun.set(beat_id, nowMs())
  }
  const begin = async () => {
    if (!working) await queue.work(hear)
    working = true
  }
  const drain = async (count: number): Promise<Drained> => {
    handled = 0
    await begin()
    while (handled < count) await pause(5)
    while (!(await queue.settled())) await pause(5)
    return { jobs: count, seconds: (nowMs() - first_ms) / 1000 }
  }
  const beat = async (count: number, gap_ms: number) => {
    await begin()
    for (let n = 0; n < count; n++) {
      const beat_id = String(n)
      await queue.submit(beat_id)
      submitted.set(beat_id, nowMs())
      await pause(gap_ms)
    }
    await pause(500)
    return true
  }
  const answer = async (asked: WorkAsked): Promise<unknown> => {
    if (asked.ask === 'load') return await queue.load(asked.count, asked.tenants)
    if (asked.ask === 'drain') return await drain(asked.count)
    if (asked.ask === 'beat') return await beat(asked.count, asked.gap_ms)
    const latencies_ms = [...submitted].map(([id, at_ms]) => (begun.get(id) ?? Infinity) - at_ms)
    submitted.clear()
    begun.clear()
    return latencies_ms
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

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
