/**
 * The lanes of a sender: the lanes that have work, the lanes that wait for their gate, and the
 * running requests. A lane is in memory only while it has work or had work within the last minute.
 */
import { sender_topic, type Deps } from '../deps.ts'
import type { Lane } from '../lanes/lane.ts'
import { findChanged, loadLanes, reloadConfigs } from '../lanes/load-lanes.ts'
import { loadOf, shareOut, type Share } from '../lanes/share.ts'
import type { Shards } from '../lanes/shards.ts'
import type { Claimed } from './claim.ts'
import { DueTimes } from './due-times.ts'
import type { Result } from './finish.ts'

const load_max = 500
const save_every_ms = 1000
const idle_ms = 60_000

export type Taken = { readonly lane: Lane; readonly claimed: Claimed }

export class OwnLanes {
  under_way = 0
  private readonly deps: Pick<Deps, 'kernel' | 'secrets'>
  private readonly shards: Shards
  private readonly wake: () => void
  private readonly lanes = new Map<string, Lane>()
  private readonly unknown = new Set<string>()
  private readonly ready = new Set<Lane>()
  /** Lanes that have work and wait for their own requests to end. */
  private readonly full = new Set<Lane>()
  private readonly busy = new Set<Lane>()
  private readonly unsaved = new Set<Lane>()
  private readonly used = new Map<Lane, number>()
  private readonly later = new DueTimes()

  constructor(deps: Pick<Deps, 'kernel' | 'secrets'>, shards: Shards, wake: () => void) {
    this.deps = deps
    this.shards = shards
    this.wake = wake
  }

  /** Called when deliveries are due for these lanes. */
  poke(ids: readonly string[]): void {
    for (const id of ids) {
      const lane = this.lanes.get(id)
      if (!lane) this.unknown.add(id)
      else {
        lane.poked = true
        if (!lane.timer) this.ready.add(lane)
      }
    }
    if (ids.length > 0) this.wake()
  }

  /** Loads unknown lanes. Lanes of other senders are skipped. */
  async meet(): Promise<void> {
    if (this.unknown.size === 0) return
    const ids = [...this.unknown].slice(0, load_max)
    const loaded = await loadLanes(this.deps, ids)
    for (const id of ids) this.unknown.delete(id)
    let foreign = false
    for (const lane of loaded) {
      if (!this.shards.mayBegin(lane.shard)) {
        foreign = true
        continue
      }
      this.lanes.set(lane.id, lane)
      this.used.set(lane, performance.now())
      this.ready.add(lane)
    }
    if (foreign) this.deps.kernel.wake([sender_topic])
  }

  /** Reserves the requests that may start now, and returns them. */
  share(most: number): Share[] {
    if (this.ready.size === 0) return []
    const { kernel } = this.deps
    const now_ms = kernel.clock.nowMs()
    for (const lane of this.ready) {
      if (!this.shards.mayBegin(lane.shard)) this.ready.delete(lane)
    }
    const room = {
      in_flight: kernel.settings['webhooks.in_flight'],
      in_flight_slow: kernel.settings['webhooks.in_flight_slow'],
    }
    const load = loadOf(this.busy, now_ms)
    const shares = shareOut(this.ready, load, room, most, now_ms, lane => this.shut(lane, now_ms))
    for (const { lane, many } of shares) {
      lane.poked = false
      this.busy.add(lane)
      this.under_way += many
    }
    return shares
  }

  /** Releases the reservation, because nothing was claimed. */
  refuse(shares: readonly Share[]): void {
    for (const { lane, many } of shares) this.release(lane, many)
  }

  /**
   * Takes the claimed deliveries of each lane. A lane that had fewer deliveries than it could take
   * has no more work.
   */
  taken(shares: readonly Share[], claimed: readonly Claimed[]): Taken[] {
    const now = performance.now()
    const rows = Map.groupBy(claimed, one => one.subscription_id)
    return shares.flatMap(({ lane, many }) => {
      const got = rows.get(lane.id) ?? []
      const going = got.filter(one => !one.aside)
      this.used.set(lane, now)
      // If more work was reported meanwhile, the lane stays and is searched again.
      if (got.length < many && !lane.poked) {
        this.ready.delete(lane)
        this.full.delete(lane)
      }
      this.release(lane, many - going.length)
      return going.map(one => ({ lane, claimed: one }))
    })
  }

  /** The lanes whose subscription has changed since the lanes were read. */
  outdated(taken: readonly Taken[]): Lane[] {
    const lanes = taken
      .filter(({ lane, claimed }) => lane.config.version !== claimed.subscription_version)
      .map(({ lane }) => lane)
    return [...new Set(lanes)]
  }

  /** Frees the slots of requests whose results are committed. */
  ended(results: readonly Result[]): void {
    for (const { lane, outcome, claimed, next } of results) {
      lane.in_flight--
      this.under_way--
      if (lane.in_flight === 0) this.busy.delete(lane)
      if (outcome.verdict !== 'ours') this.unsaved.add(lane)
      if (this.full.delete(lane)) this.ready.add(lane)
      if (next.state === 'pending') this.later.add(lane.id, performance.now(), next.delay_ms)
      // The same transaction made the next version of the aggregate due.
      if (claimed.ordered && next.state !== 'pending') this.poke([lane.id])
    }
  }

  /** Marks lanes with retries whose time has come. */
  pokeDue(now: number): void {
    this.poke(this.later.take(now))
  }

  dueInMs(now: number): number {
    return this.later.inMs(now)
  }

  owesSaving(): boolean {
    if (this.unsaved.size === 0) return false
    return this.toSave().length > 0
  }

  /**
   * The lanes to save. A lane whose gate changed is saved immediately, other lanes once a second.
   */
  toSave(): Lane[] {
    const due = performance.now() - save_every_ms
    return [...this.unsaved].filter(lane => lane.changed || lane.saved_at < due)
  }

  saved(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      this.unsaved.delete(lane)
      lane.changed = false
      lane.saved_at = performance.now()
    }
  }

  busyShards(): ReadonlySet<number> {
    return new Set([...this.busy].map(lane => lane.shard))
  }

  /** Removes lanes that are idle, and lanes that belong to other senders now. */
  sweep(): void {
    const idle_since = performance.now() - idle_ms
    for (const lane of this.lanes.values()) {
      const foreign = !this.shards.owns(lane.shard)
      const idle =
        lane.in_flight === 0 && !lane.timer && !this.ready.has(lane) && !this.unsaved.has(lane)
      if (!foreign && !(idle && (this.used.get(lane) ?? 0) < idle_since)) continue
      this.forget(lane)
    }
  }

  /**
   * Reads changed subscriptions of lanes whose gate is closed. Nothing is claimed for these lanes,
   * so a claim cannot show the change.
   */
  async renew(): Promise<void> {
    const shut = [...this.lanes.values()].filter(lane => lane.timer)
    if (shut.length === 0) return
    const changed = await findChanged(this.deps, shut)
    if (changed.length === 0) return
    await reloadConfigs(this.deps, changed)
    for (const lane of changed) {
      if (this.lanes.get(lane.id) !== lane) continue
      clearTimeout(lane.timer)
      lane.timer = undefined
      this.ready.add(lane)
      if (lane.changed) this.unsaved.add(lane)
    }
    this.wake()
  }

  clear(): void {
    for (const lane of this.lanes.values()) this.forget(lane)
  }

  private forget(lane: Lane): void {
    clearTimeout(lane.timer)
    this.lanes.delete(lane.id)
    for (const set of [this.ready, this.full, this.unsaved]) set.delete(lane)
    this.used.delete(lane)
  }

  private release(lane: Lane, many: number): void {
    lane.giveBack(many)
    this.under_way -= many
    if (lane.in_flight === 0) this.busy.delete(lane)
  }

  /**
   * Waits with a lane whose gate is closed: until the gate's time, or until one of the lane's own
   * requests ends.
   */
  private shut(lane: Lane, now_ms: number): void {
    this.ready.delete(lane)
    const opens_ms = lane.opensInMs(now_ms)
    if (opens_ms === null) {
      this.full.add(lane)
      return
    }
    if (lane.timer) return
    // If the clock is moved (in development), the gate opens within a second.
    const timer = setTimeout(
      () => {
        lane.timer = undefined
        if (this.lanes.get(lane.id) !== lane) return
        this.ready.add(lane)
        this.wake()
      },
      Math.max(1, Math.min(opens_ms, 1000)),
    )
    lane.timer = timer
  }
}
