/**
 * Compares the delivered messages with the database every two seconds, so that a lost notification
 * is repaired within that time. If the process has no sockets, nothing is queried.
 */
import type { Deps } from '../deps.ts'
import { findBehind, findJoined } from './memberships.ts'
import type { Registry } from './registry.ts'
import type { Watched, WatchedSet } from './watched.ts'

const heads_at_once = 2000
const people_at_once = 1000

export type Repaired = {
  readonly registry: Registry
  readonly watched: WatchedSet
  readonly read: (one: Watched) => void
  readonly joined: (tenant_id: string, id: string, user_ids: readonly string[]) => void
}

export class Repair {
  private readonly deps: Pick<Deps, 'kernel' | 'people'>
  private readonly live: Repaired
  private readonly timer: NodeJS.Timeout
  private running: Promise<void> | null = null
  private from = 0
  private session_from = 0

  constructor(deps: Pick<Deps, 'kernel' | 'people'>, live: Repaired) {
    this.deps = deps
    this.live = live
    this.timer = setInterval(() => this.now(), deps.kernel.settings['chat.repair_ms'])
    this.timer.unref()
  }

  now(): void {
    if (this.live.registry.size === 0 || this.running) return
    this.running = this.compare()
      .catch((error: unknown) => {
        this.deps.kernel.log.warn({ err: error }, 'the sockets could not be compared')
      })
      .finally(() => {
        this.running = null
      })
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.running
  }

  private async compare(): Promise<void> {
    const { kernel } = this.deps
    const { registry, watched, read, joined } = this.live
    const all = [...watched.values()]
    for (let at = 0; at < all.length; at += heads_at_once) {
      const behind = await findBehind(kernel.db, all.slice(at, at + heads_at_once))
      for (const { tenant_id, id } of behind) {
        const one = watched.find(tenant_id, id)
        if (one) read(one)
      }
    }
    const here = registry.people()
    const seconds = 10 + (5 * kernel.settings['chat.repair_ms']) / 1000
    const ids = here.map(one => one.user_id)
    for (const { tenant_id, conversation_id, user_id } of await findJoined(
      kernel.db,
      ids,
      seconds,
    )) {
      const sockets = [...registry.of(tenant_id, user_id)]
      if (!sockets.every(one => watched.has(one, conversation_id))) {
        joined(tenant_id, conversation_id, [user_id])
      }
    }
    if (this.from >= here.length) this.from = 0
    await this.endStrangers(here.slice(this.from, this.from + people_at_once))
    this.from += people_at_once
    await this.endExpired()
  }

  /** Identity reports sessions that are revoked. Sessions that expire are found here. */
  private async endExpired(): Promise<void> {
    const all = this.live.registry.sessionIds()
    if (this.session_from >= all.length) this.session_from = 0
    const some = all.slice(this.session_from, this.session_from + people_at_once)
    this.session_from += people_at_once
    const { kernel, people } = this.deps
    for (const id of await people.endedSessions(kernel.db, some)) {
      this.live.registry.endSession(id)
    }
  }

  /** People who lost the account or the tenant. */
  private async endStrangers(some: ReturnType<Registry['people']>): Promise<void> {
    const { kernel, people } = this.deps
    for (const [tenant_id, ours] of Map.groupBy(some, one => one.tenant_id)) {
      const ids = ours.map(one => one.user_id)
      const members = await people.membersOf(kernel.db, tenant_id, ids)
      for (const id of ids.filter(one => !members.has(one))) {
        for (const connection of this.live.registry.of(tenant_id, id)) {
          connection.end(4401, 'session_revoked')
        }
      }
    }
  }
}
