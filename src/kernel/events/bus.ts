/**
 * Sends hints between the processes of a platform. A hint is a channel and a text. The bus may lose
 * any hint, so the facts are always stored elsewhere too. When hints may have been lost, listeners
 * get a gap notice. The hints of one turn of the event loop are sent in as few packets as possible.
 */
export type BusListener = {
  message(text: string): void
  /** Messages may have been lost. */
  gap?(): void
}

export type Bus = {
  /** Publishes to all other processes. A text has at most 6000 bytes. */
  publish(channel: string, text: string): void
  /** Returns a function that ends the subscription. */
  on(channel: string, listener: BusListener): () => void
}

/** The transport that carries packets to the other processes. */
export type Carrier = {
  /** PostgreSQL accepts 8000 bytes in one notification. */
  readonly packet_bytes: number
  send(packet: string): void
}

export type OpenBus = Bus & {
  attach(carrier: Carrier): void
  received(packet: string): void
  gap(): void
}

const text_bytes_max = 6000

export function openBus(): OpenBus {
  const listeners = new Map<string, Set<BusListener>>()
  let carrier: Carrier | undefined
  let waiting: [channel: string, text: string][] = []
  const flush = () => {
    const messages = waiting
    waiting = []
    if (!carrier) return
    for (const packet of packetsOf(messages, carrier.packet_bytes)) carrier.send(packet)
  }
  const gap = () => {
    for (const known of listeners.values()) for (const listener of known) listener.gap?.()
  }
  return {
    publish: (channel, text) => {
      if (Buffer.byteLength(text) > text_bytes_max) throw new Error('too long for the bus')
      if (waiting.length === 0) setImmediate(flush)
      waiting.push([channel, text])
    },
    on: (channel, listener) => {
      const known = listeners.get(channel) ?? new Set()
      listeners.set(channel, known.add(listener))
      return () => void known.delete(listener)
    },
    attach: given => {
      carrier = given
    },
    received: packet => {
      try {
        for (const [channel, text] of JSON.parse(packet) as [string, string][]) {
          for (const listener of listeners.get(channel) ?? []) listener.message(text)
        }
      } catch {
        // Another release, or another program, has sent something else. The error would end the
        // process, because nothing called this function.
        gap()
      }
    },
    gap,
  }
}

function packetsOf(messages: readonly [string, string][], bytes_max: number): string[] {
  const packets: string[] = []
  let parts: string[] = []
  let bytes = 2
  for (const message of messages) {
    const part = JSON.stringify(message)
    const size = Buffer.byteLength(part) + 1
    if (parts.length > 0 && bytes + size > bytes_max) {
      packets.push(`[${parts.join(',')}]`)
      parts = []
      bytes = 2
    }
    parts.push(part)
    bytes += size
  }
  if (parts.length > 0) packets.push(`[${parts.join(',')}]`)
  return packets
}
