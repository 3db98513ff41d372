/**
 * Records clicks. A redirect keeps its click in memory. Within 50 ms the click gets its coarse form
 * and is written to the spool. Within a quarter of a second it is stored in the database, if the
 * process is not overloaded. Clicks that cannot be stored wait in the spool. A click is lost only
 * if the spool has no room for it, and lost clicks are counted. While this process is busy,
 * redirects have priority, and storing uses a small share of its time. Storing runs at full speed
 * after a restart, and when the oldest waiting click has reached half of the maximum age.
 */
import { newId } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { openAgents } from './agents.ts'
import { batch_clicks_max, BatchBuilder, type Batch } from './batch.ts'
import { openContexts } from './context.ts'
import { Losses } from './losses.ts'
import { openPace } from './pace.ts'
import { announceOrphans, forgetOrphan, storeOrphan } from './orphans.ts'
import type { Orphan, Spool } from './spool.ts'
import type { Place } from './segment.ts'
import { storeBatches } from './store-batches.ts'
import { Taken } from './taken.ts'
import type { Clicked, Visitor } from './visitor.ts'

export type Recorder = {
  /** Records a click. A redirect pays only for this call. */
  record(clicked: Clicked, visitor: Visitor, at_ms: number): void
  /** The time of the oldest click that is not in the database yet, or null. */
  oldestMs(): number | null
  /** The number of clicks since the start: recorded, lost and waiting. */
  counts(): { readonly taken: number; readonly lost: number; readonly waiting: number }
  /** Takes over the spools of dead processes. */
  adopt(): Promise<void>
  /**
   * Resolves with true when every click recorded so far is in the database, and with false if the
   * clicks cannot be stored now.
   */
  settle(): Promise<boolean>
  /** Resolves with true if no click is left for another process to store. */
  close(): Promise<boolean>
}

export type RecorderOptions = {
  readonly kernel: Kernel
  /** Null if clicks wait in memory only. */
  readonly spool: Spool | null
}

/** While the database is available, statistics contain every click that is older than this. */
export const fresh_within_ms = 60_000
const spool_ms = 20
/** In a busy process a timer is late. Then the next click writes the earlier ones to the spool. */
const overdue_ms = 40
const store_ms = 250
/**
 * A portion takes PostgreSQL about three milliseconds, which is too short to delay a redirect
 * noticeably.
 */
const portion_clicks = 500
const parses_per_portion = 200
/** Further batches stay in the spool until their turn and are then read back. */
const in_memory_max = 256
const store_together_max = 32
const memory_clicks_max = 1_000_000
const retry_ms = 1000
const close_ms = 3000

type Waiting = {
  readonly clicks: number
  readonly first_ms: number
  readonly place: Place | null
  batch: Batch | null
}

export function openRecorder(options: RecorderOptions): Recorder {
  return new ClickRecorder(options)
}

class ClickRecorder implements Recorder {
  private readonly kernel: Kernel
  private readonly spool: Spool | null
  private readonly agents = openAgents()
  private readonly contexts = openContexts(this.agents)
  private readonly fresh = new Taken()
  private timer: NodeJS.Timeout | undefined
  private soon = false
  private readonly queue: Waiting[] = []
  private readonly orphans: Orphan[] = []
  /** The batches of the orphan spool that is being stored. */
  private orphaned_ms: number | null = null
  private readonly losses = new Losses()
  private storing: Promise<void> | undefined
  private rest: { end(): void } | undefined
  private readonly pace = openPace()
  /** True while storing pauses, so that redirects have priority. */
  private busy = false
  private failing = false
  private closing = false
  private taken = 0

  constructor({ kernel, spool }: RecorderOptions) {
    this.kernel = kernel
    this.spool = spool
  }

  record(clicked: Clicked, visitor: Visitor, at_ms: number): void {
    this.taken++
    this.fresh.add(clicked, visitor, at_ms)
    const { size, first_ms } = this.fresh
    if (size === 1) this.timer = setTimeout(this.portion, spool_ms)
    if (first_ms !== null && at_ms - first_ms >= overdue_ms) return this.portion()
    if (size < portion_clicks || this.soon) return
    this.soon = true
    setImmediate(this.portion)
  }

  counts() {
    const queued = this.queue.reduce((sum, { clicks }) => sum + clicks, 0)
    return { taken: this.taken, lost: this.losses.clicks, waiting: this.fresh.size + queued }
  }

  oldestMs(): number | null {
    const own_ms = this.queue[0]?.first_ms ?? this.fresh.first_ms
    return this.orphaned_ms === null ? own_ms : Math.min(this.orphaned_ms, own_ms ?? Infinity)
  }

  async adopt(): Promise<void> {
    if (!this.spool || this.closing) return
    const found = await this.spool.orphans(this.kernel.clock.nowMs())
    this.orphans.push(...(await announceOrphans(this.kernel, found)))
    this.store()
  }

  async settle(): Promise<boolean> {
    this.portion()
    this.rest?.end()
    this.store()
    await this.storing
    return this.queue.length === 0 && this.fresh.size === 0
  }

  async close(): Promise<boolean> {
    this.closing = true
    const given_up = new Promise<false>(resolve => setTimeout(resolve, close_ms, false).unref())
    const settled = await Promise.race([this.settle().catch(() => false), given_up])
    clearTimeout(this.timer)
    const left_bytes = this.spool?.bytes() ?? 0
    this.spool?.close()
    return settled || left_bytes === 0
  }

  /** All clicks since the last time become one batch. */
  private readonly portion = (): void => {
    clearTimeout(this.timer)
    this.soon = false
    if (this.fresh.size === 0) return
    this.agents.allow(parses_per_portion)
    let builder = new BatchBuilder()
    this.fresh.drain((clicked, visitor, at_ms) => {
      builder.add(clicked, this.contexts.of(visitor), at_ms)
      if (builder.size < batch_clicks_max) return
      this.spoolSoon(builder)
      builder = new BatchBuilder()
    })
    if (builder.size > 0) this.spoolSoon(builder)
    this.contexts.forget()
  }

  private spoolSoon(builder: BatchBuilder): void {
    const batch = builder.build(newId())
    const [first_ms = 0] = batch.at_ms
    const clicks = batch.at_ms.length
    let place: Place | null = null
    try {
      if (this.spool) {
        place = this.spool.append(batch)
        if (!place) return this.give_up(batch)
      } else if (this.counts().waiting + clicks > memory_clicks_max) return this.give_up(batch)
    } catch (error) {
      // The disk is full or broken, but the database may still accept the clicks.
      this.kernel.log.error({ err: error }, 'clicks could not be spooled')
    }
    const remembered = !place || this.queue.length < in_memory_max
    this.queue.push({ clicks, first_ms, place, batch: remembered ? batch : null })
    this.store()
  }

  private give_up(batch: Batch): void {
    for (const at of batch.at_ms) this.losses.add(at)
  }

  private store(): void {
    this.storing ??= this.storeAll().finally(() => {
      this.storing = undefined
    })
  }

  private async storeAll(): Promise<void> {
    while (this.queue.length > 0 || this.orphans.length > 0 || this.losses.waits) {
      const began = performance.now()
      try {
        await this.storeSome()
        this.failing = false
      } catch (error) {
        if (!this.failing)
          this.kernel.log.warn({ err: error }, 'clicks wait: they cannot be stored')
        this.failing = true
        if (this.closing) return
      }
      if (!this.closing) await this.pause(this.restAfter(performance.now() - began))
    }
  }

  private async storeSome(): Promise<void> {
    // An orphan that cannot be stored must not keep the clicks of this process from the database.
    const failed = await this.storeOrphan().catch((error: unknown) => ({ error }))
    const portion = this.queue.slice(0, this.busy ? 1 : store_together_max)
    const read = portion.map(one => this.readBack(one))
    const batches = read.filter(batch => batch !== null)
    if (batches.length > 0) await storeBatches(this.kernel, batches)
    this.queue.splice(0, portion.length)
    for (const [at, { place, clicks, first_ms }] of portion.entries()) {
      if (read[at] === null) this.losses.add(first_ms, clicks)
      if (place) this.spool?.stored(place)
    }
    await this.losses.report(this.kernel.db)
    if (failed) throw failed.error
  }

  /** Null if the spool has lost it. */
  private readBack({ batch, place, clicks }: Waiting): Batch | null {
    if (batch) return batch
    try {
      const read = place?.segment.batchAt(place)
      if (read) return read
      this.kernel.log.error({ clicks }, 'clicks in the spool cannot be read')
    } catch (error) {
      this.kernel.log.error({ err: error, clicks }, 'clicks in the spool cannot be read')
    }
    return null
  }

  private async storeOrphan(): Promise<void> {
    const orphan = this.orphans.shift()
    if (!orphan) return
    const { node_id } = orphan
    try {
      const is_stored = await storeOrphan(this.kernel, orphan, first_ms => {
        this.orphaned_ms = first_ms
      })
      this.orphaned_ms = null
      if (!is_stored || this.orphans.some(one => one.node_id === node_id)) return
      await forgetOrphan(this.kernel, node_id)
    } catch (error) {
      // The other files do not wait for it.
      this.orphans.push(orphan)
      throw error
    }
  }

  private restAfter(took_ms: number): number {
    if (this.failing) return retry_ms
    if (this.orphans.length > 0) return 0
    const rest_ms = this.pace.restAfter(took_ms)
    this.busy = rest_ms > 0 && !this.isFillingUp() && !this.isGettingOld()
    if (this.busy) return rest_ms
    return this.queue.length < store_together_max ? store_ms : 0
  }

  /** When the spool is half full, storing clicks has priority. */
  private isFillingUp(): boolean {
    const max = this.kernel.settings['links.click_spool_bytes']
    return (this.spool?.bytes() ?? 0) > max / 2
  }

  /**
   * When the oldest click has half of its maximum age, storing has priority. The other half of the
   * time is for the clicks behind it.
   */
  private isGettingOld(): boolean {
    const oldest_ms = this.oldestMs()
    return oldest_ms !== null && this.kernel.clock.nowMs() - oldest_ms > fresh_within_ms / 2
  }

  private pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        this.rest = undefined
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.rest = { end }
    })
  }
}
