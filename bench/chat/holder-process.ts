/**
 * A client that holds many sockets, in its own process. Its sockets come from several loopback addresses,
 * because one address has too few ports for all of them.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'

export type Hold =
  /** Opens this number of sockets, so many at the same moment. `hello`: the server sends the first frame. */
  | {
      readonly ask: 'open'
      readonly urls: readonly string[]
      readonly count: number
      readonly together: number
      readonly hello: boolean
    }
  /** Cuts the oldest sockets, then opens as many at once and waits until each has synchronized. */
  | { readonly ask: 'storm'; readonly urls: readonly string[]; readonly count: number }

export type Held = { readonly open: number; readonly seconds: number }

const addresses_count = 8
const sockets: WebSocket[] = []

process.on('message', (asked: Hold) => void answer(asked))
process.once('disconnect', () => process.exit(0))

async function answer(asked: Hold): Promise<void> {
  const began = performance.now()
  if (asked.ask === 'open') await open(asked)
  else await storm(asked)
  const held: Held = {
    open: sockets.filter(one => one.readyState === WebSocket.OPEN).length,
    seconds: (performance.now() - began) / 1000,
  }
  process.send?.(held)
}

async function open({ urls, count, together, hello }: Hold & { ask: 'open' }): Promise<void> {
  for (let from = 0; from < count; from += together) {
    const some = Array.from({ length: Math.min(together, count - from) }, async () => {
      const at = sockets.length
      const socket = new WebSocket(urls[at % urls.length] ?? '', hello ? ['realtime.v1'] : [], {
        perMessageDeflate: false,
        localAddress: `127.0.0.${2 + (at % addresses_count)}`,
      })
      sockets.push(socket)
      await once(socket, hello ? 'message' : 'open')
    })
    await Promise.all(some)
  }
}

async function storm({ urls, count }: Hold & { ask: 'storm' }): Promise<void> {
  for (const socket of sockets.splice(0, count)) socket.terminate()
  const held = sockets.length
  await open({ ask: 'open', urls, count, together: count, hello: true })
  await Promise.all(
    sockets.slice(held).map(async socket => {
      socket.send(JSON.stringify({ type: 'sync', conversations: [] }))
      await once(socket, 'message')
    }),
  )
}
