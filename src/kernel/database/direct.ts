/**
 * The one connection of a process that does not use a transaction pooler. It listens for
 * notifications, and notifies other processes outside of business transactions. A lost connection
 * is opened again, with jitter. The users of the connection are called after each reconnect,
 * because notifications may have been lost.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { jitter } from '../ids.ts'
import type { Log } from '../observability/log.ts'
import { logFailure } from './log-failure.ts'
import { endWhenSilent } from './silence.ts'
import { types } from './types.ts'

export type DirectOptions = {
  url: string
  application_name: string
  log: Log
}

export type Direct = {
  /**
   * Sends topics to the other processes if the connection is up; 'all' is sent as an empty text. A
   * lost notification only adds latency.
   */
  notify(topics: Topics): void
  /** Sends a packet of the bus. If the connection is down, the packet is lost. */
  publish(packet: string): void
  start(): Promise<void>
  stop(): Promise<void>
}

/** The topics of a wake-up, or `all` if notifications may have been lost. */
export type Topics = ReadonlySet<string> | 'all'

const wake_channel = 'kernel_wake'
const bus_channel = 'kernel_bus'
/** PostgreSQL accepts up to 8000 bytes. */
const payload_max = 7000

/** For users whose work must end when their connection ends. */
export type DirectClient = pg.Client

/** The longest time without a reply to a short statement. */
export const short_silence_ms = 10_000

/**
 * A client that notices within seconds that the server is gone, unless it waits for a reply:
 * `endWhenSilent` is for that.
 */
export function directClient(url: string, application_name: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    connectionTimeoutMillis: 5000,
    types,
  })
  // Without a listener, losing an idle connection would end the process. The users of the
  // connection get the event `end` instead.
  client.on('error', () => {})
  return client
}

function both(one: Topics, other: Topics): Topics {
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other])
}

function payloadOf(topics: Topics): string {
  const payload = topics === 'all' ? '' : [...topics].join(',')
  return payload.length > payload_max ? '' : payload
}

function topicsOf(payload: string): Topics {
  return payload === '' ? 'all' : new Set(payload.split(','))
}

/**
 * `onTopics` runs at each notification from another process and after each reconnect. `onPacket`
 * runs with each packet of the bus.
 */
export function openDirect(
  options: DirectOptions,
  onTopics: (topics: Topics) => void,
  onPacket: (packet: string) => void = () => {},
): Direct {
  let client: pg.Client | undefined
  let own_pid: number | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let failures = 0

  const comeBack = () => {
    if (stopped) return
    const wait_ms = Math.min(5000, 100 * 2 ** failures++) * (0.5 + jitter())
    timer = setTimeout(() => void connect(), wait_ms)
  }

  async function connect(): Promise<void> {
    const fresh = directClient(options.url, `${options.application_name} direct`)
    let ended = false
    fresh.on('notification', message => {
      const { payload = '' } = message
      if (message.processId === own_pid) return
      if (message.channel === bus_channel) onPacket(payload)
      else onTopics(topicsOf(payload))
    })
    fresh.on('end', () => {
      if (ended) return
      ended = true
      if (client === fresh) client = undefined
      comeBack()
    })
    try {
      await fresh.connect()
      endWhenSilent(fresh, short_silence_ms)
      const { rows } = await fresh.query<{ pid: number }>('select pg_backend_pid() as pid')
      own_pid = rows[0]?.pid ?? null
      await fresh.query(`listen ${wake_channel}`)
      await fresh.query(`listen ${bus_channel}`)
    } catch (error) {
      logFailure(options.log, { err: error }, 'the listening connection could not be made')
      await fresh.end().catch(() => {})
      if (!ended) comeBack()
      ended = true
      return
    }
    if (stopped) {
      await fresh.end()
      return
    }
    client = fresh
    failures = 0
    onTopics('all')
  }

  const ask = openAsking(() => client)
  const say = openSaying(() => client !== undefined, ask)
  return {
    notify: topics => void say(topics),
    publish: openPublishing(() => client !== undefined, ask),
    start: connect,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}

type Ask = (text: string, values: readonly unknown[]) => Promise<unknown>

/** Sends one statement at a time on this connection, for both topics and packets. */
function openAsking(current: () => pg.Client | undefined): Ask {
  let line: Promise<unknown> = Promise.resolve()
  return (text, values) => {
    line = line.then(() => current()?.query(text, [...values])).catch(() => {})
    return line
  }
}

const packets_max = 1000

/** Packets that arrive while a statement is being sent are sent together in the next statement. */
function openPublishing(up: () => boolean, ask: Ask): (packet: string) => void {
  let waiting: string[] = []
  let sending = false
  const send = async () => {
    sending = true
    while (waiting.length > 0) {
      const packets = waiting
      waiting = []
      await ask(`select pg_notify('${bus_channel}', p) from unnest($1::text[]) p`, [packets])
    }
    sending = false
  }
  return packet => {
    if (!up() || waiting.length >= packets_max) return
    waiting.push(packet)
    if (!sending) void send()
  }
}

/** The shortest time between two notifications. A single one is sent immediately. */
const spacing_ms = 5

/**
 * Sends one notification at a time, at most every 5 ms. Topics that arrive meanwhile are sent
 * together in the next one.
 */
function openSaying(up: () => boolean, ask: Ask): (topics: Topics) => Promise<void> {
  let saying = false
  let unsaid: Topics = new Set<string>()
  const say = async (topics: Topics): Promise<void> => {
    if (!up()) return
    if (saying) {
      unsaid = both(unsaid, topics)
      return
    }
    saying = true
    const payload = payloadOf(topics)
    // If the connection breaks, this notification is lost. The other processes find the work by
    // polling.
    await ask(`select pg_notify('${wake_channel}', $1)`, [payload])
    await pause(spacing_ms, undefined, { ref: false })
    saying = false
    const next = unsaid
    if (next !== 'all' && next.size === 0) return
    unsaid = new Set()
    await say(next)
  }
  return say
}
