/**
 * Who is connected, in memory only. Each process tells the others when its first socket of a person opens and
 * when the last one has been gone for a while, and repeats all of it every ten seconds, so that what a process
 * that died had said ends by itself.
 */
import type { Deps } from '../deps.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'
import { newId } from '../../../kernel/ids.ts'
import { rfc3339 } from '../../../kernel/clock.ts'

const channel = 'chat.presence'
const repeat_ms = 10_000
const trust_ms = 25_000
const told_at_once = 70

export type Presence = {
  /** The first socket of a person in this process opened, or the last one closed. */
  here(tenant_id: string, user_id: string, here: boolean): void
  online(tenant_id: string): ReadonlySet<string>
  /** Tells a socket of changes of these people, and how they are now. */
  subscribe(connection: Connection, user_ids: readonly string[]): void
  forget(connection: Connection): void
  close(): void
}

/** Of each person, the processes that hold their sockets, and until when that is believed. */
type Seen = Map<string, number>

export function openPresence({ kernel }: Pick<Deps, 'kernel'>): Presence {
  const { bus, clock, settings } = kernel
  const node = newId()
  const tenants = new Map<string, Map<string, Seen>>()
  const followers = new Map<string, Set<Connection>>()
  const last_seen = new Map<string, number>()
  const leaving = new Map<string, NodeJS.Timeout>()

  const stateOf = (tenant_id: string, user_id: string) => {
    const state = tenants.get(tenant_id)?.has(user_id) === true ? 'online' : 'offline'
    const at = last_seen.get(`${tenant_id} ${user_id}`)
    const last_seen_at = state === 'online' ? minute(clock.nowMs()) : at ? minute(at) : null
    return frameOf({ type: 'presence.updated', user_id, state, last_seen_at })
  }
  const tell = (tenant_id: string, user_id: string) => {
    const known = followers.get(`${tenant_id} ${user_id}`)
    if (!known) return
    const frame = stateOf(tenant_id, user_id)
    for (const connection of known) connection.ephemeral(frame)
  }
  const arrive = (tenant_id: string, user_id: string, from: string, until: number) => {
    const people = tenants.get(tenant_id) ?? new Map<string, Seen>()
    tenants.set(tenant_id, people)
    const seen = people.get(user_id)
    if (seen) return void seen.set(from, until)
    people.set(user_id, new Map([[from, until]]))
    tell(tenant_id, user_id)
  }
  const depart = (tenant_id: string, user_id: string, from: string) => {
    const people = tenants.get(tenant_id)
    const seen = people?.get(user_id)
    if (!people || !seen?.delete(from) || seen.size > 0) return
    people.delete(user_id)
    if (people.size === 0) tenants.delete(tenant_id)
    last_seen.set(`${tenant_id} ${user_id}`, clock.nowMs())
    tell(tenant_id, user_id)
  }
  const publish = (tenant_id: string, user_ids: readonly string[], online: boolean) => {
    for (let at = 0; at < user_ids.length; at += told_at_once) {
      const some = user_ids.slice(at, at + told_at_once)
      bus.publish(channel, [node, tenant_id, online ? '+' : '-', ...some].join(' '))
    }
  }
  const unhear = bus.on(channel, {
    message: text => {
      const [from = '', tenant_id = '', sign, ...user_ids] = text.split(' ')
      for (const user_id of user_ids) {
        if (sign === '+') arrive(tenant_id, user_id, from, performance.now() + trust_ms)
        else depart(tenant_id, user_id, from)
      }
    },
  })
  const repeat = setInterval(() => {
    const now = performance.now()
    for (const [tenant_id, people] of tenants) {
      const mine = [...people].filter(([, seen]) => seen.has(node)).map(([user_id]) => user_id)
      publish(tenant_id, mine, true)
      for (const [user_id, seen] of [...people]) {
        for (const [from, until] of seen) if (until < now) depart(tenant_id, user_id, from)
      }
    }
  }, repeat_ms)
  repeat.unref()
  return {
    here: (tenant_id, user_id, here) => {
      const key = `${tenant_id} ${user_id}`
      clearTimeout(leaving.get(key))
      leaving.delete(key)
      if (here) {
        arrive(tenant_id, user_id, node, Number.POSITIVE_INFINITY)
        return publish(tenant_id, [user_id], true)
      }
      const gone = () => {
        leaving.delete(key)
        depart(tenant_id, user_id, node)
        publish(tenant_id, [user_id], false)
      }
      leaving.set(key, setTimeout(gone, settings['chat.presence_grace_ms']).unref())
    },
    online: tenant_id => new Set(tenants.get(tenant_id)?.keys()),
    subscribe: (connection, user_ids) => {
      const { tenant_id } = connection.holder
      for (const user_id of user_ids) {
        const key = `${tenant_id} ${user_id}`
        followers.set(key, (followers.get(key) ?? new Set()).add(connection))
        connection.presence_of.add(key)
        connection.ephemeral(stateOf(tenant_id, user_id))
      }
    },
    forget: connection => {
      for (const key of connection.presence_of) {
        const known = followers.get(key)
        known?.delete(connection)
        if (known?.size === 0) followers.delete(key)
      }
      connection.presence_of.clear()
    },
    close: () => {
      unhear()
      clearInterval(repeat)
      for (const timer of leaving.values()) clearTimeout(timer)
    },
  }
}

function minute(ms: number): string {
  return rfc3339(ms - (ms % 60_000))
}
