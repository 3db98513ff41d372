/**
 * The lease under which a process may redirect from its cache. The lease is valid only while the
 * process's last read of the changes is less than two seconds old. When a link changes, the writer
 * waits until each process with a lease has read the change or its lease has expired. The lease is
 * registered in its own transaction before the read, so the writer always sees a process that
 * missed the change. The time of the lease and the age of the read both count from before the
 * request. So a process that was stopped, disconnected or slow finds its lease expired. Transaction
 * ids are compared on one server only: after a fail-over to a standby that lacks the last changes,
 * they begin again below those that this process knows.
 */
import { Type } from 'typebox'
import { DatabaseBusy, isUnavailable, sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Spool } from '../clicks/spool.ts'

export const lease_ms = 2000
/** Wakes the processes that keep or wait for a cache: a change, or a process that has read it. */
export const changes_topic = 'links.cache'
const renew_ms = 500
/** Wake-ups within this time share one read. */
const spacing_ms = 5
/** After this time without a read, dropping the whole cache is cheaper than reading the changes. */
const forget_ms = 600_000
/** A caller that waits for a read longer than this gets an error and must retry. */
const patience_ms = 1500

const server_started = sql`pg_postmaster_start_time()::text`

const Seen = Type.Object({
  /** When the server was started, which differs from server to server. */
  server: Type.String(),
  seen: Type.String(),
  xmin: Type.String(),
  changed: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
})

/** An empty code means the whole domain. */
export type Change = { readonly domain_id: string; readonly code: string }

export type LeaseOptions = {
  readonly kernel: Kernel
  readonly node_id: string
  /** Drops changed entries from the cache. */
  dropped(changes: readonly Change[]): void
  /** Called after a read that cannot say what has changed: no cached value is safe to use. */
  forget(): void
  /** The time of the oldest click that waits in this process, or null. */
  clicksSince(): number | null
  /** Null if clicks wait in memory only, so that they end with the process. */
  readonly spool: Pick<Spool, 'prepare'> | null
}

export class Lease {
  /** A monotonic time. The cache may be used until then. */
  until_ms = -Infinity
  /** Set when the cache is used, so that the lease is renewed. */
  used = false
  /** Requests that have checked the lease and may still record a click. */
  following = 0
  /** The database is unavailable, and the operator prefers outdated redirects over none. */
  outlasting = false
  private readonly options: LeaseOptions
  private looked_ms = -Infinity
  private xmin: string | null = null
  private seen: string | null = null
  private server: string | null = null
  /** Changes of the last read. While a transaction stays open, every read returns them again. */
  private known: ReadonlySet<string> = new Set()
  /** Reads run one after the other. */
  private last: Promise<unknown> = Promise.resolve()
  private renewing: Promise<void> | undefined
  private glancing = false
  private timer: NodeJS.Timeout | undefined
  private closed = false
  private readonly unsubscribe: () => void

  constructor(options: LeaseOptions) {
    this.options = options
    this.unsubscribe = options.kernel.onWake(() => this.glance(), [changes_topic])
  }

  holds(now_ms: number): boolean {
    return now_ms < this.until_ms
  }

  /** Resolves when the cache may be used. Throws if the database is unavailable. */
  async ensure(): Promise<void> {
    this.used = true
    if (this.holds(performance.now())) return
    const patience = Promise.withResolvers<never>()
    const timer = setTimeout(() => patience.reject(new DatabaseBusy()), patience_ms)
    try {
      await Promise.race([this.renew(), patience.promise])
    } catch (error) {
      this.outlast(error)
      if (!this.holds(performance.now())) throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** This process reads its own change before all other processes do. */
  drop(changed: readonly Change[]): void {
    this.options.dropped(changed)
  }

  /** Ends the lease. The row of this process stays until its clicks are stored. */
  async close(): Promise<void> {
    this.closed = true
    this.unsubscribe()
    clearTimeout(this.timer)
    await this.last.catch(() => {})
    this.until_ms = -Infinity
  }

  /** Deletes the row of this process: no click waits here, and none follows without a new row. */
  async unregister(): Promise<void> {
    const { kernel, node_id } = this.options
    if (this.xmin === null) return
    await kernel.db.run(sql`delete from links.redirect_nodes where node_id = ${node_id}`)
  }

  private renew(): Promise<void> {
    this.renewing ??= this.inTurn(() => this.look(true)).finally(() => {
      this.renewing = undefined
      this.plan()
    })
    return this.renewing
  }

  private plan(): void {
    clearTimeout(this.timer)
    if (this.closed) return
    this.timer = setTimeout(() => {
      if (this.isIdle()) return this.leave()
      this.used = false
      this.renew().catch(() => {})
    }, renew_ms)
    this.timer.unref()
  }

  /** While clicks wait, the lease is renewed, so that other processes see them. */
  private isIdle(): boolean {
    return !this.used && this.following === 0 && this.options.clicksSince() === null
  }

  /**
   * Ends the lease, because no request uses the cache. The next request registers again before it is
   * answered. Without a row this process no longer limits how fresh statistics are.
   */
  private leave(): void {
    this.until_ms = -Infinity
    this.inTurn(() => this.unregister()).catch(() => this.plan())
  }

  /** Something has changed. Checks whether the change concerns links, without registering again. */
  private glance(): void {
    const now_ms = performance.now()
    if (this.closed || this.glancing || !this.holds(now_ms)) return
    this.glancing = true
    const wait_ms = Math.max(0, spacing_ms - (now_ms - this.looked_ms))
    this.inTurn(async () => {
      await new Promise(resolve => setTimeout(resolve, wait_ms))
      // A wake-up that arrives after this line starts another read.
      this.glancing = false
      if (!this.closed) await this.look(false)
    }).catch(() => {})
  }

  private inTurn(look: () => Promise<void>): Promise<void> {
    const mine = this.last.then(look)
    this.last = mine.catch(() => {})
    return mine
  }

  private async look(registering: boolean): Promise<void> {
    const { kernel } = this.options
    const began_ms = performance.now()
    const late = began_ms - this.looked_ms > forget_ms
    try {
      if (registering) await this.register()
      const { server, seen, xmin, changed } = await this.readChanges(late ? null : this.xmin)
      await kernel.fault('links.changes_seen')
      const whole = late || server !== this.server
      const fresh = changed.filter(([seq]) => !this.known.has(seq))
      this.known = new Set(changed.map(([seq]) => seq))
      this.server = server
      this.seen = seen
      this.xmin = xmin
      this.looked_ms = began_ms
      this.outlasting = false
      if (whole) this.options.forget()
      else if (fresh.length > 0) {
        this.options.dropped(fresh.map(([, domain_id, code]) => ({ domain_id, code })))
      }
      if (registering) this.until_ms = began_ms + lease_ms
      // Another server need not know this process.
      else if (whole) this.until_ms = -Infinity
      if (fresh.length > 0) await this.acknowledge()
    } catch (error) {
      if (registering) this.outlast(error)
      throw error
    }
  }

  /**
   * Prolongs the use of the cache while the database is unavailable, for operators who prefer
   * outdated redirects over no redirects.
   */
  private outlast(error: unknown): void {
    const seconds = this.options.kernel.settings['links.stale_if_db_down_seconds']
    if (seconds === 0 || !isUnavailable(error)) return
    this.outlasting = true
    this.until_ms = Math.max(
      this.until_ms,
      Math.min(this.looked_ms + seconds * 1000, performance.now() + renew_ms),
    )
  }

  /**
   * Every click of this process before `clicks_since` is in the database. A click after it may wait
   * here, or in the spool if the process dies. The file of the spool exists before the row, so that
   * the next process of the machine finds it and deletes the row.
   */
  private async register(): Promise<void> {
    const { kernel, node_id, clicksSince, spool } = this.options
    spool?.prepare()
    const clicks_since = clicksSince() ?? kernel.clock.nowMs()
    await kernel.db.run(sql`
      insert into links.redirect_nodes as n
        (node_id, leased_until, seen, clicks_since, has_spool)
      values (${node_id}, clock_timestamp() + make_interval(secs => ${lease_ms / 1000}::float8),
        case when ${server_started} = ${this.server}::text then ${this.seen}::pg_snapshot end,
        timestamptz 'epoch' + ${clicks_since}::bigint * interval '1 ms', ${spool !== null})
      on conflict (node_id) do update set leased_until = excluded.leased_until,
        seen = excluded.seen, clicks_since = excluded.clicks_since`)
  }

  /**
   * A change that was committed after the last read has a high transaction id: not below the oldest
   * transaction that was open at that read. So every change from that id on is read again.
   */
  private readChanges(from: string | null) {
    return this.options.kernel.db.one(
      Seen,
      sql`
        select ${server_started} as server, pg_current_snapshot()::text as seen,
          pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
          coalesce((select json_agg(json_build_array(seq::text, domain_id, code))
            from links.link_changes where xid >= ${from}::xid8), '[]') as changed`,
    )
  }

  /** Stores the snapshot that this process has read. Writers wait for this. */
  private async acknowledge(): Promise<void> {
    const { kernel, node_id } = this.options
    await kernel.db.run(sql`
      update links.redirect_nodes set seen = ${this.seen}::pg_snapshot
      where node_id = ${node_id}`)
    kernel.wake([changes_topic])
  }
}
