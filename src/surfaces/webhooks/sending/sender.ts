/**
 * Sends deliveries. One cycle is one transaction: it records the results that have arrived, and
 * claims as many deliveries as the lanes may start. After the commit they are sent. A slot is free
 * only after its result is committed. Shards, tokens and the claim divide the work of processes.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isUnavailable, logFailure, newId, openSleeper, type Loop } from '#dodeca/kernel'
import { sender_topic, type Deps, type Poke } from '../deps.ts'
import type { Lane } from '../lanes/lane.ts'
import { reloadConfigs } from '../lanes/load-lanes.ts'
import { saveLanes } from '../lanes/save-lanes.ts'
import type { Share } from '../lanes/share.ts'
import { Shards } from '../lanes/shards.ts'
import type { Bodies } from './bodies.ts'
import type { Asked, Claimed } from './claim.ts'
import { look } from './find-due.ts'
import { finish, finishAndClaim, recordLost, type Result } from './finish.ts'
import { departures, fly, stayed } from './send-attempts.ts'
import type { Rules } from './decide-retry.ts'
import { planLookUps } from './look-ups.ts'
import { sweepStranded } from './release-stranded.ts'
import { OwnLanes, type Taken } from './own-lanes.ts'

export type Sender = Poke & { readonly loop: Loop }

type SenderDeps = Omit<Deps, 'sender'> & { readonly bodies: Bodies; readonly rules: Rules }

/** The sender's name in the jobs surface, where it can be paused like a type. */
export const activity = 'webhooks.deliver'
const results_max = 500
const claims_max = 500
const waiting_poll_ms = 1000
const idle_poll_ms = 5000
const woken_poll_ms = 50
const stop_grace_ms = 3000
/** Results that arrive close together share a commit. */
const gather_ms = 4
const gather_from = 32

/** All deliveries are paused. The claim is rolled back with this transaction. */
class Paused extends Error {
  override readonly name = 'Paused'
}

export function openSender(deps: SenderDeps): Sender {
  let running: Sending | undefined
  return {
    poke: ids => {
      // Without a sender in this process, other processes are woken to check.
      if (running) running.lanes.poke(ids)
      else deps.kernel.wake([sender_topic])
    },
    loop: {
      name: sender_topic,
      every_ms: 500,
      run: async signal => {
        if (signal.aborted) return
        const own = new Sending(deps, newId())
        running = own
        try {
          await own.run(signal)
        } finally {
          running = undefined
        }
      },
    },
  }
}

class Sending {
  readonly lanes: OwnLanes
  private readonly deps: SenderDeps
  private readonly owner: string
  private readonly shards: Shards
  private readonly sleeper = openSleeper()
  private readonly abort = new AbortController()
  private readonly results: Result[] = []
  private sweeping: Promise<void> | undefined
  private poll_at = 0
  /** No scan for due deliveries starts before this time. */
  private rested_at = 0
  private cycled_at = -Infinity

  constructor(deps: SenderDeps, owner: string) {
    this.deps = deps
    this.owner = owner
    this.shards = new Shards(deps.kernel, owner)
    this.lanes = new OwnLanes(deps, this.shards, () => this.sleeper.wake())
  }

  async run(signal: AbortSignal): Promise<void> {
    const { kernel } = this.deps
    signal.addEventListener('abort', () => this.sleeper.close(), { once: true })
    const unsubscribe = kernel.onWake(() => {
      const soon = Math.max(performance.now() + woken_poll_ms, this.rested_at)
      this.poll_at = Math.min(this.poll_at, soon)
      this.sleeper.wake()
    })
    const stopped = new AbortController()
    const keeping = this.keepShards(stopped.signal)
    try {
      while (!signal.aborted) await this.turn()
      await this.land()
    } finally {
      stopped.abort()
      this.abort.abort()
      unsubscribe()
      await keeping
      this.lanes.clear()
      await this.shards.release()
    }
  }

  private async turn(): Promise<void> {
    try {
      const now = performance.now()
      if (now >= this.poll_at) await this.poll(now)
      this.lanes.pokeDue(performance.now())
      await this.lanes.meet()
      if (this.gathers()) await wait(gather_ms)
      const results = this.results.splice(0, results_max)
      const shares = this.lanes.share(claims_max)
      if (results.length > 0 || shares.length > 0 || this.lanes.owesSaving()) {
        await this.cycle(results, shares)
        return
      }
      await this.sleeper.sleep(this.restMs(performance.now()))
    } catch (error) {
      logFailure(this.deps.kernel.log, { err: error }, 'sending failed and will be retried')
      await this.sleeper.sleepThrough(500)
    }
  }

  private restMs(now: number): number {
    return Math.max(1, Math.min(this.poll_at - now, this.lanes.dueInMs(now)))
  }

  private gathers(): boolean {
    const { length } = this.results
    if (length === 0 || length >= gather_from || this.lanes.under_way < gather_from) return false
    return performance.now() - this.cycled_at < gather_ms
  }

  private async poll(now: number): Promise<void> {
    const found = await look(this.deps.kernel, this.shards.owned())
    const looked_at = performance.now()
    // Scans take at most a tenth of the time, however many endpoints wait.
    this.rested_at = looked_at + (looked_at - now) * 10
    const quiet_ms = found.waits ? waiting_poll_ms : idle_poll_ms
    this.poll_at = Math.max(looked_at + quiet_ms, this.rested_at)
    this.lanes.poke(found.ids)
  }

  /** Records and claims in one transaction, then sends. */
  private async cycle(results: readonly Result[], shares: readonly Share[]): Promise<void> {
    const { kernel } = this.deps
    const token = newId()
    const saved = this.lanes.toSave()
    const lease_seconds = kernel.settings['webhooks.lease_seconds']
    const leased_until = performance.now() + lease_seconds * 1000
    const wanted = shares.map(({ lane, many }) => ({ subscription_id: lane.id, many }))
    const asked = { owner: this.owner, token, lease_seconds, wanted }
    let claimed: readonly Claimed[] = []
    try {
      if (results.length > 0) await kernel.fault('webhooks.before_finish')
      claimed = await this.commit(results, asked, saved)
    } catch (error) {
      this.lanes.refuse(shares)
      await this.recover(results, error)
      return
    }
    this.cycled_at = performance.now()
    this.lanes.saved(saved)
    this.lanes.ended(results)
    const going = this.lanes.taken(shares, claimed)
    if (going.length > 0) {
      await this.depart(going, token, leased_until)
    }
  }

  /** Uses one packet. If the claim must be rolled back, the results are sent a second time. */
  private async commit(
    results: readonly Result[],
    asked: Asked,
    saved: readonly Lane[],
  ): Promise<readonly Claimed[]> {
    const { kernel, jobs } = this.deps
    const claims = asked.wanted.length > 0
    try {
      return await kernel.db.tx(async tx => {
        const [, open, rows] = await Promise.all([
          planLookUps(tx),
          claims ? jobs.pauseFence(tx, activity) : true,
          finishAndClaim(tx, results, asked),
          saveLanes(tx, this.owner, saved),
        ])
        if (!open) throw new Paused()
        if (rows.length > 0) await kernel.fault('webhooks.in_claim')
        await recordLost(
          tx,
          rows.filter(one => one.lost && !one.aside),
        )
        return rows
      })
    } catch (error) {
      if (!(error instanceof Paused)) throw error
      return this.commit(results, { ...asked, wanted: [] }, saved)
    }
  }

  private async depart(going: readonly Taken[], token: string, leased_until: number) {
    const { kernel } = this.deps
    const began = (result: Result) => {
      this.results.push(result)
      this.sleeper.wake()
    }
    try {
      await kernel.fault('webhooks.after_claim')
      const outdated = this.lanes.outdated(going)
      if (outdated.length > 0) await reloadConfigs(this.deps, outdated)
      for (const departure of await departures(this.deps, going, { token, leased_until })) {
        void fly(this.deps, departure, this.abort.signal).then(began)
      }
    } catch (error) {
      for (const one of going) began(stayed(one, token, kernel.clock.nowMs()))
      throw error
    }
  }

  /** Keeps the results while the database is unavailable, else records each one separately. */
  private async recover(results: readonly Result[], error: unknown): Promise<void> {
    if (results.length === 0 || isUnavailable(error)) {
      this.results.unshift(...results)
      throw error
    }
    for (const one of results) {
      try {
        await this.deps.kernel.db.tx(tx => finish(tx, [one]))
      } catch (cause) {
        // The delivery's lease ends, and then the delivery is sent again.
        this.deps.kernel.log.error(
          { err: cause, delivery_id: one.claimed.id },
          'the result of a webhook could not be recorded',
        )
      }
    }
    this.lanes.ended(results)
  }

  private async keepShards(signal: AbortSignal): Promise<void> {
    const { kernel } = this.deps
    const every_ms = (kernel.settings['webhooks.lease_seconds'] * 1000) / 3
    while (!signal.aborted) {
      try {
        const before = this.shards.owned().length
        await this.shards.turn(this.lanes.busyShards())
        this.lanes.sweep()
        await this.lanes.renew()
        const mine = this.shards.owned()
        if (mine.length > before) this.poll_at = 0
        this.sweep(signal)
        this.sleeper.wake()
      } catch (error) {
        logFailure(kernel.log, { err: error }, 'shards could not be leased')
      }
      await wait(every_ms, undefined, { signal }).catch(() => {})
    }
    await this.sweeping
  }

  /** Only one sweep runs at a time, independent of the cycle. */
  private sweep(signal: AbortSignal): void {
    const { kernel } = this.deps
    const released = () => {
      this.poll_at = 0
      this.sleeper.wake()
    }
    this.sweeping ??= sweepStranded(kernel.db, this.shards, released, signal)
      .catch((error: unknown) =>
        logFailure(kernel.log, { err: error }, 'waiting versions could not be checked'),
      )
      .finally(() => (this.sweeping = undefined))
  }

  /** No new request starts. Running requests get a short time, and their results are recorded. */
  private async land(): Promise<void> {
    const deadline = performance.now() + stop_grace_ms
    while (this.lanes.under_way > 0) {
      if (performance.now() > deadline) this.abort.abort()
      const results = this.results.splice(0, results_max)
      if (results.length > 0) await this.cycle(results, [])
      else await wait(10)
      if (performance.now() > deadline + stop_grace_ms) return
    }
  }
}
