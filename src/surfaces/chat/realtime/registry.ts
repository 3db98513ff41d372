/**
 * The open sockets of this process, by person and by session. Once a second it pings silent
 * sockets, closes sockets that do not answer or are too old, and checks sockets that were too slow.
 */
import type { Kernel } from '../settings.ts'
import type { Connection } from './connection.ts'

const tick_ms = 250
const none: ReadonlySet<Connection> = new Set()

export type Listeners = {
  /** The first socket of a person opened, or the last one closed. */
  person(tenant_id: string, user_id: string, here: boolean): void
  closed(connection: Connection): void
}

export class Registry {
  private readonly byPerson = new Map<string, Set<Connection>>()
  private readonly sessions = new Map<string, Set<Connection>>()
  private readonly open = new Set<Connection>()
  private readonly settings: Kernel['settings']
  private readonly listeners: Listeners
  private timer: NodeJS.Timeout | undefined

  constructor({ settings }: Pick<Kernel, 'settings'>, listeners: Listeners) {
    this.settings = settings
    this.listeners = listeners
  }

  get size(): number {
    return this.open.size
  }

  add(connection: Connection): void {
    const { tenant_id, user_id, session_id } = connection.holder
    const alive = () => {
      connection.seen_ms = performance.now()
      connection.pinged_ms = null
    }
    connection.socket.on('pong', alive)
    connection.socket.on('message', alive)
    connection.socket.once('close', () => this.remove(connection))
    this.open.add(connection)
    join(this.sessions, session_id, connection)
    const first = join(this.byPerson, keyOf(tenant_id, user_id), connection)
    if (first) this.listeners.person(tenant_id, user_id, true)
    this.timer ??= setInterval(() => this.tick(), tick_ms)
  }

  of(tenant_id: string, user_id: string): ReadonlySet<Connection> {
    return this.byPerson.get(keyOf(tenant_id, user_id)) ?? none
  }

  /** The sockets of this person in all tenants. */
  ofPerson(user_id: string): readonly Connection[] {
    return [...this.open].filter(one => one.holder.user_id === user_id)
  }

  all(): readonly Connection[] {
    return [...this.open]
  }

  people(): readonly { readonly tenant_id: string; readonly user_id: string }[] {
    return [...this.byPerson.keys()].map(key => {
      const [tenant_id = '', user_id = ''] = key.split(' ')
      return { tenant_id, user_id }
    })
  }

  sessionIds(): readonly string[] {
    return [...this.sessions.keys()]
  }

  endSession(session_id: string): void {
    for (const connection of this.sessions.get(session_id) ?? []) {
      connection.end(4401, 'session_revoked')
    }
  }

  close(): void {
    clearInterval(this.timer)
  }

  private remove(connection: Connection): void {
    const { tenant_id, user_id, session_id } = connection.holder
    connection.ended = true
    if (!this.open.delete(connection)) return
    const last = drop(this.byPerson, keyOf(tenant_id, user_id), connection)
    if (last) this.listeners.person(tenant_id, user_id, false)
    drop(this.sessions, session_id, connection)
    this.listeners.closed(connection)
    if (this.open.size === 0) {
      clearInterval(this.timer)
      this.timer = undefined
    }
  }

  private tick(): void {
    const now = performance.now()
    for (const connection of this.open) if (!connection.ended) this.watch(connection, now)
  }

  private watch(connection: Connection, now: number): void {
    if (connection.paused) connection.catchUp()
    const { socket, pinged_ms, seen_ms } = connection
    // While reading is paused, a pong cannot be read either.
    if (socket.isPaused) {
      connection.seen_ms = now
      connection.pinged_ms = null
    } else if (pinged_ms !== null && now - pinged_ms > this.settings['chat.pong_ms']) {
      connection.end(4408, 'ping_timeout')
      socket.terminate()
    } else if (pinged_ms === null && now - seen_ms > this.settings['chat.heartbeat_ms']) {
      connection.pinged_ms = now
      socket.ping()
    }
    const life_ms = this.settings['chat.socket_hours'] * 3_600_000
    if (now - connection.opened_ms > life_ms) connection.end(1001, 'reconnect')
  }
}

function keyOf(tenant_id: string, user_id: string): string {
  return `${tenant_id} ${user_id}`
}

/** Returns true for the person's first socket. */
function join<T>(sets: Map<string, Set<T>>, key: string, one: T): boolean {
  const known = sets.get(key)
  if (known) {
    known.add(one)
    return false
  }
  sets.set(key, new Set([one]))
  return true
}

/** Returns true for the person's last socket. */
function drop<T>(sets: Map<string, Set<T>>, key: string, one: T): boolean {
  const known = sets.get(key)
  if (!known?.delete(one) || known.size > 0) return false
  sets.delete(key)
  return true
}
