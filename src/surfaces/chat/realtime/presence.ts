/**
 * Tracks who is connected, in memory only. Each process announces when its first socket of a person
 * opens and when the last one has been closed for a while. It repeats its whole list every ten
 * seconds, so that the list of a dead process expires.
 */
import type { Deps } from '../deps.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'
import { findAcquainted } from './memberships.ts'
import { newId, rfc3339 } from '#dodeca/kernel'

const channel = 'chat.presence'
const repeat_ms = 10_000
const trust_ms = 25_000
const ids_at_once = 70
/** How long a process that was killed still counts, with the people whose sockets it held. */
export const known_ms = repeat_ms + trust_ms
const retry_ms = 1000
const last_seen_max = 100_000

/** For each person: the processes that hold their sockets, and when that information expires. */
type Seen = Map<string, number>

type Subject = { readonly tenant_id: string; readonly user_id: string }

export class Presence {
  private readonly deps: Pick<Deps, 'kernel' | 'blocks'>
  private readonly kernel: Deps['kernel']
  private readonly node = newId()
  private readonly tenants = new Map<string, Map<string, Seen>>()
  private readonly followers = new Map<string, Set<Connection>>()
  private readonly last_seen = new Map<string, number>()
  private readonly leaving = new Map<string, NodeJS.Timeout>()
  /** People whose new presence was not sent to their subscribers yet. */
  private readonly changed = new Map<string, Subject>()
  private announcing = false
  private closed = false
  private readonly unsubscribe: () => void
  private readonly repeating: NodeJS.Timeout

  constructor(deps: Pick<Deps, 'kernel' | 'blocks'>) {
    const { kernel } = deps
    this.deps = deps
    this.kernel = kernel
    this.unsubscribe = kernel.bus.on(channel, { message: text => this.receive(text) })
    this.repeating = setInterval(() => this.repeat(), repeat_ms)
    this.repeating.unref()
  }

  /** The first socket of a person in this process was opened, or the last one closed. */
  here(tenant_id: string, user_id: string, here: boolean): void {
    const key = keyOf(tenant_id, user_id)
    clearTimeout(this.leaving.get(key))
    this.leaving.delete(key)
    if (here) {
      this.arrive(tenant_id, user_id, this.node, Number.POSITIVE_INFINITY)
      return this.publish(tenant_id, [user_id], true)
    }
    const gone = () => {
      this.leaving.delete(key)
      this.depart(tenant_id, user_id, this.node)
      this.publish(tenant_id, [user_id], false)
    }
    const grace_ms = this.kernel.settings['chat.presence_grace_ms']
    this.leaving.set(key, setTimeout(gone, grace_ms).unref())
  }

  online(tenant_id: string): ReadonlySet<string> {
    return new Set(this.tenants.get(tenant_id)?.keys())
  }

  /** Subscribes a socket to the presence of these people and sends their current presence. */
  subscribe(connection: Connection, user_ids: readonly string[]): void {
    const { tenant_id } = connection.holder
    for (const user_id of user_ids) {
      const key = keyOf(tenant_id, user_id)
      this.followers.set(key, (this.followers.get(key) ?? new Set()).add(connection))
      connection.presence_of.add(key)
      connection.ephemeral(this.stateOf(tenant_id, user_id))
    }
  }

  forget(connection: Connection): void {
    for (const key of connection.presence_of) this.drop(key, connection)
  }

  close(): void {
    this.closed = true
    this.unsubscribe()
    clearInterval(this.repeating)
    for (const timer of this.leaving.values()) clearTimeout(timer)
  }

  private stateOf(tenant_id: string, user_id: string): Buffer {
    const online = this.tenants.get(tenant_id)?.has(user_id) === true
    const last = this.last_seen.get(keyOf(tenant_id, user_id))
    const at = online ? this.kernel.clock.nowMs() : last
    return frameOf({
      type: 'presence.updated',
      user_id,
      state: online ? 'online' : 'offline',
      last_seen_at: at === undefined ? null : minute(at),
    })
  }

  private announce(tenant_id: string, user_id: string): void {
    const key = keyOf(tenant_id, user_id)
    if (!this.followers.has(key)) return
    this.changed.set(key, { tenant_id, user_id })
    if (!this.announcing) void this.announceAll()
  }

  private async announceAll(): Promise<void> {
    this.announcing = true
    for (const [key, subject] of this.changed) {
      if (this.closed) break
      this.changed.delete(key)
      try {
        await this.notifyFollowers(key, subject)
      } catch (error) {
        this.kernel.log.warn({ err: error }, 'the followers of a presence could not be read')
        this.changed.set(key, subject)
        await new Promise(resolve => setTimeout(resolve, retry_ms).unref())
      }
    }
    this.announcing = false
  }

  /** A block, or the end of the last common conversation, ends a subscription here. */
  private async notifyFollowers(key: string, { tenant_id, user_id }: Subject): Promise<void> {
    const ids = [...(this.followers.get(key) ?? [])].map(one => one.holder.user_id)
    const allowed = new Set(await findAcquainted(this.deps, { tenant_id, user_id }, ids))
    const frame = this.stateOf(tenant_id, user_id)
    const known = this.followers.get(key) ?? []
    for (const connection of known) {
      if (allowed.has(connection.holder.user_id)) connection.ephemeral(frame)
      // A person who subscribed meanwhile was checked at that time.
      else if (ids.includes(connection.holder.user_id)) this.drop(key, connection)
    }
  }

  private drop(key: string, connection: Connection): void {
    connection.presence_of.delete(key)
    const known = this.followers.get(key)
    known?.delete(connection)
    if (known?.size === 0) this.followers.delete(key)
  }

  private arrive(tenant_id: string, user_id: string, from: string, until: number): void {
    const people = this.tenants.get(tenant_id) ?? new Map<string, Seen>()
    this.tenants.set(tenant_id, people)
    const seen = people.get(user_id)
    if (seen) return void seen.set(from, until)
    people.set(user_id, new Map([[from, until]]))
    this.announce(tenant_id, user_id)
  }

  private depart(tenant_id: string, user_id: string, from: string): void {
    const people = this.tenants.get(tenant_id)
    const seen = people?.get(user_id)
    if (!people || !seen?.delete(from) || seen.size > 0) return
    people.delete(user_id)
    if (people.size === 0) this.tenants.delete(tenant_id)
    const key = keyOf(tenant_id, user_id)
    this.last_seen.delete(key)
    if (this.last_seen.size >= last_seen_max) {
      this.last_seen.delete(this.last_seen.keys().next().value ?? '')
    }
    this.last_seen.set(key, this.kernel.clock.nowMs())
    this.announce(tenant_id, user_id)
  }

  private publish(tenant_id: string, user_ids: readonly string[], online: boolean): void {
    for (let at = 0; at < user_ids.length; at += ids_at_once) {
      const some = user_ids.slice(at, at + ids_at_once)
      const text = [this.node, tenant_id, online ? '+' : '-', ...some].join(' ')
      this.kernel.bus.publish(channel, text)
    }
  }

  private receive(text: string): void {
    const [from = '', tenant_id = '', sign, ...user_ids] = text.split(' ')
    for (const user_id of user_ids) {
      if (sign === '+') this.arrive(tenant_id, user_id, from, performance.now() + trust_ms)
      else this.depart(tenant_id, user_id, from)
    }
  }

  private repeat(): void {
    const now = performance.now()
    for (const [tenant_id, people] of this.tenants) {
      const mine = [...people].filter(([, seen]) => seen.has(this.node))
      this.publish(
        tenant_id,
        mine.map(([user_id]) => user_id),
        true,
      )
      for (const [user_id, seen] of people) {
        for (const [from, until] of seen) if (until < now) this.depart(tenant_id, user_id, from)
      }
    }
  }
}

function keyOf(tenant_id: string, user_id: string): string {
  return `${tenant_id} ${user_id}`
}

function minute(ms: number): string {
  return rfc3339(ms - (ms % 60_000))
}
