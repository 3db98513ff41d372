/**
 * A real DNS server on loopback: each query takes the next set of records that was prepared for its
 * name (the last one stays), so a name can change between two look-ups. Its records have a TTL of
 * an hour, so a client that caches them fails the test.
 */
import { Buffer } from 'node:buffer'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP, SocketAddress } from 'node:net'

export type DnsServer = {
  readonly address: string
  /** One array an answer; `silent` answers nothing, `broken` says SERVFAIL. */
  lay(name: string, ...answers: (readonly string[] | 'silent' | 'broken')[]): void
  /** Questions for A records of the name so far. */
  asked(name: string): number
  close(): void
}

type Answer = readonly string[] | 'silent' | 'broken'

const types = { a: 1, aaaa: 28 } as const
const codes = { found: 0, broken: 2, unknown: 3 } as const

export async function openDnsServer(): Promise<DnsServer> {
  const laid = new Map<string, Answer[]>()
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (message, peer) => {
    const { name, type, end } = questionOf(message)
    const queue = laid.get(name)
    // The A question moves on; the AAAA question of the same look-up sees the same set.
    const turn = Math.max(0, (asked.get(name) ?? 0) - (type === types.a ? 0 : 1))
    if (type === types.a) asked.set(name, turn + 1)
    const answer = queue?.at(Math.min(turn, queue.length - 1))
    if (answer === 'silent') return
    socket.send(reply(message.subarray(0, end), type, answer), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  return {
    address: `127.0.0.1:${port}`,
    lay: (name, ...answers) => {
      laid.set(name, answers)
      asked.delete(name)
    },
    asked: name => asked.get(name) ?? 0,
    close: () => void socket.close(),
  }
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function reply(question: Buffer, type: number, answer: Answer | undefined): Buffer {
  const wanted = type === types.a ? 4 : 6
  const found = Array.isArray(answer) ? answer.filter(address => isIP(address) === wanted) : []
  const head = Buffer.from(question)
  const code = answer === undefined ? codes.unknown : codes.found
  head.writeUInt16BE(0x8180 | (answer === 'broken' ? codes.broken : code), 2)
  head.writeUInt16BE(found.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...found.map(address => record(address, type))])
}

function record(address: string, type: number): Buffer {
  const data = type === types.a ? Buffer.from(address.split('.').map(Number)) : ipv6(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(49_164, 0) // a pointer to the name of the question
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4) // class IN
  head.writeUInt32BE(3600, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function ipv6(address: string): Buffer {
  const hexadecimal = new URL(`http://[${new SocketAddress({ address, family: 'ipv6' }).address}]`)
  const [left = '', right = ''] = hexadecimal.hostname.slice(1, -1).split('::')
  const groups = (text: string) => text.split(':').filter(group => group !== '')
  const [first, last] = [groups(left), groups(right)]
  const middle = Array.from({ length: 8 - first.length - last.length }, () => '0')
  const bytes = Buffer.alloc(16)
  for (const [index, group] of [...first, ...middle, ...last].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2)
  }
  return bytes
}
