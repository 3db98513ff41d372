/**
 * The lanes of this process and the workers that run them. Each lane has at most one worker at a
 * time. As many lanes run in parallel as connections are reserved for them; the other lanes wait
 * for their turn.
 */
import { logFailure } from '../../database/log-failure.ts'
import type { Log } from '../../observability/log.ts'
import { isOutage, type Handling } from './handle.ts'
import type { Listener } from './listener.ts'
import { Lane } from './lane.ts'
import { LeaseLost, type LaneKey } from './leases.ts'
import { lanes_count } from '../log/read.ts'

const rest_ms_max = 5000

export class Workers {
  private readonly lanes: ReadonlyMap<string, readonly Lane[]>
  private readonly ready = new Set<Lane>()
  private readonly working = new Set<Promise<void>>()
  private readonly at: Handling
  private readonly log: Log
  private readonly concurrency: number
  private readonly tail: () => number
  private stopped = false

  constructor(
    at: Handling,
    listeners: readonly Listener[],
    concurrency: number,
    tail: () => number,
  ) {
    this.at = at
    this.log = at.log
    this.concurrency = concurrency
    this.tail = tail
    this.lanes = new Map(
      listeners.map(one => [
        one.name,
        Array.from({ length: lanes_count }, (_, lane) => new Lane(one, lane)),
      ]),
    )
  }

  lane({ consumer, lane }: LaneKey): Lane | undefined {
    return this.lanes.get(consumer)?.[lane]
  }

  *all(): Generator<Lane> {
    for (const lanes of this.lanes.values()) yield* lanes
  }

  /** The lane has work. `dispatch` starts it. */
  ask(lane: Lane): void {
    this.ready.add(lane)
  }

  dispatch(): void {
    for (const lane of this.ready) {
      if (this.stopped || this.working.size >= this.concurrency) return
      if (lane.running || lane.resting) continue
      this.ready.delete(lane)
      const run = this.work(lane)
      this.working.add(run)
      void run.finally(() => {
        this.working.delete(run)
        this.dispatch()
      })
    }
  }

  /** Ends after the running batches. */
  async stop(): Promise<void> {
    this.stopped = true
    await Promise.all(this.working)
  }

  private async work(lane: Lane): Promise<void> {
    if (!lane.owned) return
    lane.running = true
    try {
      const more = await lane.work(this.at, this.tail, () => this.stopped)
      lane.failures = 0
      if (more) this.ready.add(lane)
    } catch (error) {
      this.failed(lane, error)
    } finally {
      lane.running = false
    }
  }

  private failed(lane: Lane, error: unknown): void {
    // After an unexpected error the lane starts again from its cursor, as after a take-over.
    if (error instanceof LeaseLost || !isOutage(error)) lane.lose()
    if (error instanceof LeaseLost) return
    lane.failures++
    if (lane.failures === 1)
      logFailure(this.log, { err: error, ...lane.key }, 'a lane failed and will be retried')
    lane.resting = true
    const wait_ms = Math.min(rest_ms_max, 100 * 2 ** Math.min(lane.failures, 10))
    setTimeout(() => {
      lane.resting = false
      this.ready.add(lane)
      this.dispatch()
    }, wait_ms).unref()
  }
}
