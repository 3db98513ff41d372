/**
 * Connects commits with sockets. A message of this process goes out from memory where it continues exactly what
 * was delivered; everything else is read again. Hints of other processes come over the bus, and where one
 * is lost, the comparison with the database every two seconds finds what is missing.
 */
import type { Deps } from '../deps.ts'
import type { Message } from '../schemas.ts'
import { catchUp } from './catch-up.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'
import type { Appended, Head, Live } from './live.ts'
import { findBehind, findJoined, readMemberships } from './memberships.ts'
import { openPresence, type Presence } from './presence.ts'
import { openRegistry, type Registry } from './registry.ts'
import { broadcast, deliverMessage, WatchedSet, type Watched } from './watched.ts'

export type LiveDeps = Pick<Deps, 'kernel' | 'cipher' | 'people'>

/** What a socket of this process needs of it. */
export type OpenLive = Live & {
  readonly registry: Registry
  readonly presence: Presence
  readonly watched: WatchedSet
  /** Watches the conversations of the socket's person. */
  watch(connection: Connection, ids?: readonly string[]): Promise<void>
  /** Tells the other members, here and elsewhere, if they are not too many. */
  note(tenant_id: string, conversation_id: string, user_id: string, frame: object): void
  close(): Promise<void>
}

/** Hints that came before their conversation was watched. */
const recent_max = 10_000
const reads_max = 4

export function openLive(deps: LiveDeps): OpenLive {
  const { kernel, people } = deps
  const { bus, db, log, settings } = kernel
  const registry = openRegistry(kernel)
  const presence = openPresence(deps)
  const watched = new WatchedSet()
  const recent = new Map<string, number>()
  let reads = 0
  const queue: (() => void)[] = []

  const limited = async (work: () => Promise<void>) => {
    if (reads >= reads_max) await new Promise<void>(resolve => queue.push(resolve))
    reads++
    try {
      await work()
    } finally {
      reads--
      queue.shift()?.()
    }
  }
  const read = (one: Watched): void => {
    if (one.reading) {
      one.again = true
      return
    }
    one.reading = limited(() => catchUp(deps, watched, one))
      .catch((error: unknown) => log.warn({ err: error }, 'a conversation could not be read'))
      .finally(() => {
        one.reading = null
        if (!one.again) return
        one.again = false
        read(one)
      })
  }
  const moved = ({ tenant_id, id, revision }: Omit<Head, 'latest_sequence'>) => {
    const one = watched.find(tenant_id, id)
    if (one) {
      if (revision > one.known_revision) read(one)
      return
    }
    if (registry.size === 0) return
    const key = `${tenant_id} ${id}`
    recent.delete(key)
    if (recent.size >= recent_max) recent.delete(recent.keys().next().value ?? '')
    recent.set(key, revision)
  }
  const publishHead = ({ tenant_id, id, revision }: Omit<Head, 'latest_sequence'>) =>
    bus.publish('chat.heads', `${tenant_id} ${id} ${revision}`)

  const watch: OpenLive['watch'] = async (connection, ids) => {
    const rows = await readMemberships(db, connection.holder, ids ?? null)
    if (connection.ended) return
    for (const row of rows) {
      const one = watched.join(connection, row)
      const hint = recent.get(`${one.tenant_id} ${one.id}`) ?? 0
      const behind = Math.max(hint, row.revision) > one.known_revision
      if (behind || one.people.get(connection.holder.user_id)?.certain === false) read(one)
    }
  }
  const joinedHere = (tenant_id: string, id: string, user_ids: readonly string[]) => {
    for (const user_id of user_ids) {
      for (const connection of registry.of(tenant_id, user_id)) {
        watch(connection, [id]).catch((error: unknown) =>
          log.warn({ err: error }, 'a new membership could not be read'),
        )
      }
    }
  }
  const suspectHere = async (user_id: string) => {
    for (const connection of registry.ofPerson(user_id)) {
      const { tenant_id } = connection.holder
      const members = await people.membersOf(db, tenant_id, [user_id])
      if (!members.has(user_id)) connection.end(4401, 'session_revoked')
    }
  }
  const suspect = (user_id: string) =>
    void suspectHere(user_id).catch((error: unknown) =>
      log.warn({ err: error }, 'a membership of the tenant could not be read'),
    )
  const noteHere = (tenant_id: string, id: string, user_id: string, frame: object) => {
    const one = watched.find(tenant_id, id)
    if (one) broadcast(one, frameOf(frame), user_id)
  }
  const note: OpenLive['note'] = (tenant_id, id, user_id, frame) => {
    noteHere(tenant_id, id, user_id, frame)
    bus.publish('chat.notes', JSON.stringify([tenant_id, id, user_id, frame]))
  }

  const repair = openRepair(deps, { registry, watched, read, joinedHere })
  const unhear = [
    bus.on('chat.heads', {
      message: text => {
        const [tenant_id = '', id = '', revision] = text.split(' ')
        moved({ tenant_id, id, revision: Number(revision) })
      },
      gap: repair.now,
    }),
    bus.on('chat.joined', {
      message: text => {
        const [tenant_id = '', id = '', ...user_ids] = text.split(' ')
        joinedHere(tenant_id, id, user_ids)
      },
    }),
    bus.on('chat.people', { message: suspect }),
    bus.on('chat.notes', {
      message: text => {
        const [tenant_id, id, user_id, frame] = JSON.parse(text) as [string, string, string, object]
        noteHere(tenant_id, id, user_id, frame)
      },
    }),
  ]
  registry.onPerson(presence.here)
  registry.onClosed(connection => {
    watched.drop(connection)
    presence.forget(connection)
  })
  people.onSessionEnded(registry.endSession)

  return {
    registry,
    presence,
    watched,
    watch,
    note,
    // The senders are answered first.
    appended: messages =>
      void setImmediate(() => {
        deliverAppended(messages, watched, read, moved)
        for (const { tenant_id, id, revision } of headsOf(messages)) {
          publishHead({ tenant_id, id, revision })
        }
      }),
    changed: head => {
      moved(head)
      publishHead(head)
    },
    joined: ({ tenant_id, id }, user_ids) => {
      joinedHere(tenant_id, id, user_ids)
      for (let at = 0; at < user_ids.length; at += 70) {
        const some = user_ids.slice(at, at + 70)
        bus.publish('chat.joined', [tenant_id, id, ...some].join(' '))
      }
    },
    read: ({ tenant_id, id, user_id }, last_read_sequence) => {
      const small = settings['chat.small_group']
      const count = watched.find(tenant_id, id)?.member_count
      if (count !== undefined && count > small) return
      note(tenant_id, id, user_id, {
        type: 'receipt.updated',
        conversation_id: id,
        user_id,
        last_read_sequence,
      })
    },
    suspect: user_id => {
      suspect(user_id)
      bus.publish('chat.people', user_id)
    },
    online: presence.online,
    close: async () => {
      for (const end of unhear) end()
      registry.close()
      presence.close()
      await repair.stop()
    },
  }
}

function headsOf(messages: readonly Appended[]) {
  const heads = new Map<string, { tenant_id: string; id: string; revision: number }>()
  for (const { tenant_id, message } of messages) {
    const { conversation_id: id, revision } = message
    heads.set(`${tenant_id} ${id}`, { tenant_id, id, revision })
  }
  return heads.values()
}

/** From memory, where each message continues what was delivered by exactly one. */
function deliverAppended(
  messages: readonly Appended[],
  watched: WatchedSet,
  read: (one: Watched) => void,
  moved: (head: Omit<Head, 'latest_sequence'>) => void,
): void {
  for (const { tenant_id, event_id, message, with_attachments } of messages) {
    const one = watched.find(tenant_id, message.conversation_id)
    if (!one) {
      moved({ tenant_id, id: message.conversation_id, revision: message.revision })
    } else if (!with_attachments && continues(one, message)) {
      deliverMessage(one, 'message.created', message, event_id)
      one.known_sequence = message.sequence
      one.known_revision = message.revision
    } else if (message.revision > one.known_revision) read(one)
  }
}

function continues(one: Watched, { sequence, revision }: Message): boolean {
  return (
    one.reading === null &&
    sequence === one.known_sequence + 1 &&
    revision === one.known_revision + 1
  )
}

const heads_at_once = 2000
const people_at_once = 1000

type Repaired = {
  readonly registry: Registry
  readonly watched: WatchedSet
  readonly read: (one: Watched) => void
  readonly joinedHere: (tenant_id: string, id: string, user_ids: readonly string[]) => void
}

/** What hints may have missed. Without sockets there is nothing to ask. */
function openRepair(
  { kernel, people }: LiveDeps,
  { registry, watched, read, joinedHere }: Repaired,
) {
  const { db, log, settings } = kernel
  const every_ms = settings['chat.repair_ms']
  let running: Promise<void> | null = null
  let from = 0
  const compare = async () => {
    const all = [...watched.values()]
    for (let at = 0; at < all.length; at += heads_at_once) {
      for (const { tenant_id, id } of await findBehind(db, all.slice(at, at + heads_at_once))) {
        const one = watched.find(tenant_id, id)
        if (one) read(one)
      }
    }
    const here = registry.people()
    const seconds = 10 + (5 * every_ms) / 1000
    const ids = here.map(one => one.user_id)
    for (const { tenant_id, conversation_id, user_id } of await findJoined(db, ids, seconds)) {
      const person = watched.find(tenant_id, conversation_id)?.people.get(user_id)
      if (!person) joinedHere(tenant_id, conversation_id, [user_id])
    }
    if (from >= here.length) from = 0
    await endStrangers(here.slice(from, from + people_at_once))
    from += people_at_once
  }
  const endStrangers = async (some: ReturnType<Registry['people']>) => {
    for (const [tenant_id, ours] of Map.groupBy(some, one => one.tenant_id)) {
      const ids = ours.map(one => one.user_id)
      const members = await people.membersOf(db, tenant_id, ids)
      for (const id of ids.filter(one => !members.has(one))) {
        for (const connection of registry.of(tenant_id, id)) {
          connection.end(4401, 'session_revoked')
        }
      }
    }
  }
  const now = () => {
    if (registry.size === 0 || running) return
    running = compare()
      .catch((error: unknown) => log.warn({ err: error }, 'the sockets could not be compared'))
      .finally(() => {
        running = null
      })
  }
  const timer = setInterval(now, every_ms)
  timer.unref()
  return {
    now,
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
