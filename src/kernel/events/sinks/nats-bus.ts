/**
 * Carries the bus over core NATS, without a stream. A message without a receiver is lost, as with
 * the bus over PostgreSQL. The client reconnects by itself, and every connection after the first
 * one is reported as a gap.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { Log } from '../../observability/log.ts'
import type { Carrier, OpenBus } from '../bus.ts'
import { connectNats, type NatsServers } from './nats-servers.ts'

const subject = 'dodeca.bus'

export type NatsBus = Carrier & { start(): void; stop(): Promise<void> }

export function openNatsBus(
  { servers, log }: { readonly servers: NatsServers; readonly log: Log },
  bus: Pick<OpenBus, 'received' | 'gap'>,
): NatsBus {
  let link: Promise<NatsConnection | undefined> | undefined
  let connection: NatsConnection | undefined
  const dial = async () => {
    const made = await connectNats(servers, {
      name: 'dodeca bus',
      noEcho: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      waitOnFirstConnect: true,
    })
    made.subscribe(subject, {
      callback: (error, message) => {
        if (!error) bus.received(message.string())
      },
    })
    // A message that is published before the server knows the subscription reaches no reader.
    await made.flush()
    connection = made
    bus.gap()
    void follow(made)
    return made
  }
  const follow = async (made: NatsConnection) => {
    for await (const { type } of made.status()) {
      if (type === 'disconnect') log.warn({}, 'the connection of the bus to NATS was lost')
      if (type === 'reconnect') bus.gap()
    }
  }
  return {
    packet_bytes: 64 * 1024,
    send: packet => {
      if (connection && !connection.isClosed()) connection.publish(subject, packet)
    },
    start: () => {
      link ??= dial().catch((error: unknown) => {
        log.warn({ err: error }, 'the bus could not connect to NATS')
        return undefined
      })
    },
    stop: async () => {
      // If the first connection has not succeeded yet, there is nothing to end.
      await connection?.close()
    },
  }
}
