/**
 * A TCP connection to PostgreSQL that can hold replies back until the client has sent a given text.
 * A client that waits for a reply before it sends that text waits for ever, so the test shows
 * without a clock what travels together. A turn is a change of direction: what the client sends
 * after the last reply.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type HeldLine = {
  /** The same database, through the held connection. */
  readonly url: string
  /** Holds replies back from now on until the client has sent this. */
  holdUntil(word: string): void
  /** How often the client sent after a reply, since the last count. */
  turns(): number
  [Symbol.asyncDispose](): Promise<void>
}

export async function openHeldLine(database_url: string): Promise<HeldLine> {
  const target = new URL(database_url)
  const sockets = new Set<Socket>()
  let word: string | null = null
  let said = ''
  let turns = 0

  const server = createServer(client => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    let answered = true
    const held: Buffer[] = []
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true).on('error', () => {}))
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    const answer = (part: Buffer) => {
      answered = true
      client.write(part)
    }
    client.on('data', part => {
      if (answered) turns++
      answered = false
      upstream.write(part)
      if (word === null) return
      // A text may arrive in two pieces.
      said += part.toString('latin1')
      if (!said.includes(word)) return
      word = null
      for (const one of held.splice(0)) answer(one)
    })
    upstream.on('data', part => {
      if (word === null) answer(part)
      else held.push(part)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database_url)
  url.hostname = '127.0.0.1'
  url.searchParams.delete('host')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    holdUntil: next => {
      word = next
      said = ''
    },
    turns: () => {
      const counted = turns
      turns = 0
      return counted
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
