/**
 * Publishes the log to NATS JetStream. An event of a lane is sent after the stream has stored the
 * previous one, and only then does the cursor move. An event that is sent again after a crash has
 * the same id, so the duplicate window of the stream drops it. The stream is created if it is
 * missing, and is otherwise not changed.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { Log } from '../../observability/log.ts'
import { SinkUnavailable, type Listener } from '../consumers/listener.ts'
import type { LanedEvent } from '../log/read.ts'
import { connectNats, type NatsServers } from './nats-servers.ts'

export type NatsSinkOptions = {
  servers: NatsServers
  /** How many servers keep the stream, if it is created here. */
  replicas?: number
  log: Log
  /** The name of the stream; its subjects are `evt.>`. */
  stream?: string
  duplicate_window_seconds?: number
}

export type NatsSink = {
  readonly listener: Listener
  /** Rejects if the NATS client cannot be loaded. The connection to a server is checked later. */
  readonly loaded: Promise<unknown>
  stop(): Promise<void>
}

/** The NATS client is loaded only on a platform with this sink. */
async function loadClient() {
  const { jetstream, jetstreamManager, JetStreamApiError } = await import('@nats-io/jetstream')
  return { jetstream, jetstreamManager, JetStreamApiError }
}

type Client = Awaited<ReturnType<typeof loadClient>>

/** The event in its form for external systems. Its payload is loaded by reference. */
function envelope(event: LanedEvent) {
  const { id, tenant_id, type, schema_version, aggregate_id, aggregate_version } = event
  const { occurred_at, created_at } = event
  return {
    id,
    tenant_id,
    type,
    schema_version,
    aggregate_id,
    aggregate_version,
    payload_ref: event.payload_ref ?? `/v1/webhook-events/${id}`,
    occurred_at,
    created_at,
  }
}

export function openNatsSink(options: NatsSinkOptions): NatsSink {
  const loaded = loadClient()
  // The code that starts the platform awaits this promise later. The empty handler keeps an earlier
  // failure from being an unhandled rejection.
  loaded.catch(() => {})
  let link: Promise<NatsConnection> | undefined

  const linked = async (): Promise<NatsConnection> => {
    link ??= loaded.then(client => dial(client, options))
    const made = link
    try {
      const connection = await made
      if (!connection.isClosed()) return connection
    } catch (error) {
      if (link === made) link = undefined
      throw error
    }
    if (link === made) link = undefined
    return linked()
  }

  const publish = async (event: LanedEvent): Promise<void> => {
    try {
      const connection = await linked()
      const { jetstream } = await loaded
      await jetstream(connection, { timeout: 5000 }).publish(
        `evt.${event.lane}.${event.type}`,
        JSON.stringify(envelope(event)),
        { msgID: event.id },
      )
    } catch (error) {
      throw new SinkUnavailable('NATS did not store an event', { cause: error })
    }
  }

  return {
    loaded,
    listener: { name: 'kernel.sink.nats', events: 'all', publish },
    stop: async () => {
      const connection = await link?.catch(() => undefined)
      await connection?.close()
    },
  }
}

async function dial(client: Client, options: NatsSinkOptions): Promise<NatsConnection> {
  const connection = await connectNats(options.servers, { name: 'dodeca', timeout: 5000 })
  try {
    await ensureStream(client, connection, options)
  } catch (error) {
    await connection.close()
    throw error
  }
  void connection.closed().then(error => {
    if (error) options.log.warn({ err: error }, 'the connection to NATS was lost')
  })
  return connection
}

const stream_absent = 10_059

async function ensureStream(
  { jetstreamManager, JetStreamApiError }: Client,
  connection: NatsConnection,
  options: NatsSinkOptions,
): Promise<void> {
  const manager = await jetstreamManager(connection)
  const name = options.stream ?? 'EVENTS'
  try {
    await manager.streams.info(name)
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== stream_absent) throw error
    await manager.streams.add({
      name,
      subjects: ['evt.>'],
      num_replicas: options.replicas ?? 1,
      duplicate_window: (options.duplicate_window_seconds ?? 600) * 1_000_000_000,
    })
  }
}
