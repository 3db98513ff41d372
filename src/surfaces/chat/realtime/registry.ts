/**
 * The open sockets of this process, by person and by session. Once a second it pings those that were silent,
 * ends those that do not answer or are too old, and looks at those that were too slow.
 */
import type { Kernel } from '../settings.ts'
import type { Connection } from './connection.ts'

export type Registry = {
  readonly size: number
  add(connection: Connection): void
  of(tenant_id: string, user_id: string): ReadonlySet<Connection>
  /** The same in all tenants. */
  ofPerson(user_id: string): readonly Connection[]
  all(): IterableIterator<Connection>
  people(): readonly { readonly tenant_id: string; readonly user_id: string }[]
  endSession(session_id: string): void
  /** Calls these when the first socket of a person opens, and when the last one closes. */
  onPerson(listener: (tenant_id: string, user_id: string, here: boolean) => void): void
  onClosed(listener: (connection: Connection) => void): void
  close(): void
}

const tick_ms = 250
const none: ReadonlySet<Connection> = new Set()

export function openRegistry({ settings }: Pick<Kernel, 'settings'>): Registry {
  const people = new Map<string, Set<Connection>>()
  const sessions = new Map<string, Set<Connection>>()
  const all = new Set<Connection>()
  let timer: NodeJS.Timeout | undefined
  let tellPerson: (tenant_id: string, user_id: string, here: boolean) => void = () => {}
  let tellClosed: (connection: Connection) => void = () => {}
  const heartbeat_ms = settings['chat.heartbeat_ms']
  const pong_ms = settings['chat.pong_ms']
  const life_ms = settings['chat.socket_hours'] * 3_600_000

  const watch = (connection: Connection, now: number) => {
    if (connection.paused) connection.catchUp()
    const { socket, pinged_ms, seen_ms } = connection
    // While reading is paused a pong could not be read either.
    if (socket.isPaused) {
      connection.seen_ms = now
      connection.pinged_ms = null
    } else if (pinged_ms !== null && now - pinged_ms > pong_ms) {
      connection.end(4408, 'ping_timeout')
      socket.terminate()
    } else if (pinged_ms === null && now - seen_ms > heartbeat_ms) {
      connection.pinged_ms = now
      socket.ping()
    }
    if (now - connection.opened_ms > life_ms) connection.end(1001, 'reconnect')
  }
  const tick = () => {
    const now = performance.now()
    for (const connection of all) if (!connection.ended) watch(connection, now)
  }
  const remove = (connection: Connection) => {
    const { tenant_id, user_id, session_id } = connection.holder
    connection.ended = true
    if (!all.delete(connection)) return
    const key = keyOf(tenant_id, user_id)
    if (drop(people, key, connection)) tellPerson(tenant_id, user_id, false)
    drop(sessions, session_id, connection)
    tellClosed(connection)
    if (all.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
  return {
    get size() {
      return all.size
    },
    add: connection => {
      const { tenant_id, user_id, session_id } = connection.holder
      const alive = () => {
        connection.seen_ms = performance.now()
        connection.pinged_ms = null
      }
      connection.socket.on('pong', alive)
      connection.socket.on('message', alive)
      connection.socket.once('close', () => remove(connection))
      all.add(connection)
      join(sessions, session_id, connection)
      if (join(people, keyOf(tenant_id, user_id), connection)) tellPerson(tenant_id, user_id, true)
      timer ??= setInterval(tick, tick_ms)
    },
    of: (tenant_id, user_id) => people.get(keyOf(tenant_id, user_id)) ?? none,
    ofPerson: user_id => [...all].filter(one => one.holder.user_id === user_id),
    all: () => all.values(),
    people: () =>
      [...people.keys()].map(key => {
        const [tenant_id = '', user_id = ''] = key.split(' ')
        return { tenant_id, user_id }
      }),
    endSession: session_id => {
      for (const connection of sessions.get(session_id) ?? []) {
        connection.end(4401, 'session_revoked')
      }
    },
    onPerson: listener => {
      tellPerson = listener
    },
    onClosed: listener => {
      tellClosed = listener
    },
    close: () => clearInterval(timer),
  }
}

function keyOf(tenant_id: string, user_id: string): string {
  return `${tenant_id} ${user_id}`
}

/** True for the first one. */
function join<T>(sets: Map<string, Set<T>>, key: string, one: T): boolean {
  const known = sets.get(key)
  if (known) {
    known.add(one)
    return false
  }
  sets.set(key, new Set([one]))
  return true
}

/** True for the last one. */
function drop<T>(sets: Map<string, Set<T>>, key: string, one: T): boolean {
  const known = sets.get(key)
  if (!known?.delete(one) || known.size > 0) return false
  sets.delete(key)
  return true
}
