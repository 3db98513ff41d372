/**
 * One room of 500 sockets at one rate for all: what a delivery costs the server's process, and how late it is.
 * The same client code reads all contenders; it finds the time of sending by its place in the bytes.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Bench } from '../ground/comparison.ts'
import { ended, processorSeconds } from '../ground/machine.ts'
import { standingsOf, type Section, type Verdict } from '../ground/report.ts'
import { compete, percentile, type Measure, type Standing } from '../ground/rounds.ts'
import type { Given } from './echo-process.ts'
import { startEcho } from './echo.ts'
import { openSockets, type Ground } from './ground.ts'
import { appending } from './sends.ts'

const sockets_count = 500
const messages_per_second = 80
const filler = 'x'.repeat(170)

type Room = {
  readonly sockets: readonly WebSocket[]
  readonly pid: number | undefined
  send(body: string, n: number): void
  close(): Promise<void>
}

export async function room(bench: Bench, ground: Ground): Promise<Section> {
  const { options } = bench
  const { database_url } = ground
  const run = (open: () => Promise<Room>) => () => measure(ground, open, options)
  const standings = await compete(
    [
      { name: 'ws', run: run(() => openEcho({ kind: 'ws', database_url })) },
      { name: 'socket.io', run: run(() => openEcho({ kind: 'socket.io', database_url })) },
      {
        name: 'socket.io, stored',
        run: run(() => openEcho({ kind: 'socket.io, stored', database_url })),
      },
      { name: 'dodeca', run: run(() => openOurs(ground)) },
      {
        name: 'one append (pgbench)',
        run: await appending(bench, ground, { batch: 1, clients: 1 }),
      },
    ],
    options.rounds,
  )
  const [bare, io, stored, ours, append] = standings
  if (!bare || !io || !stored || !ours || !append) throw new Error('not everybody was measured')
  return standingsOf(
    `Deliveries to one room of ${sockets_count} sockets, ${messages_per_second} messages a second`,
    standings,
    [
      cheaper(ours, bare, 0.85),
      cheaper(ours, io, 1.5),
      cheaper(ours, stored, 1.5),
      {
        says: 'p99 of dodeca; at most that of ws and two appends',
        reached: ours.p99_ms,
        target: Math.round(10 * (bare.p99_ms + 2 * append.p99_ms)) / 10,
        unit: 'ms',
        wanted: 'at most',
      },
    ],
    [
      'ws and socket.io store nothing; dodeca and the third one commit each message before it is sent.',
      'The rate is fixed, so that the processor time of one delivery says which of them carries more.',
      `Each of ${ground.people.length} people has ${sockets_count / ground.people.length} sockets.`,
    ],
  )
}

/** How many deliveries one makes in the processor time in which the other makes one. */
function cheaper(one: Standing, other: Standing, target: number): Verdict {
  return {
    says: `${one.name} / ${other.name}, by the processor time of a delivery`,
    reached: (other.cpu_us ?? Number.NaN) / (one.cpu_us ?? Number.NaN),
    target,
    unit: '',
    wanted: 'at least',
  }
}

async function measure(
  ground: Ground,
  open: () => Promise<Room>,
  options: Bench['options'],
): Promise<Measure> {
  const { sockets, pid, send, close } = await open()
  const latencies: number[] = []
  let seen = 0
  const listener = (data: Buffer) => {
    const at = data.indexOf('T:')
    if (at < 0) return
    seen++
    if (seen % 10 === 0) {
      latencies.push(performance.now() - Number(data.toString('latin1', at + 2, at + 16)))
    }
  }
  for (const socket of sockets) socket.on('message', listener)
  let sent = 0
  const speak = async (seconds: number) => {
    const began = performance.now()
    for (let n = 0; n < seconds * messages_per_second; n++) {
      const wait_ms = began + (n * 1000) / messages_per_second - performance.now()
      if (wait_ms > 0) await new Promise(resolve => setTimeout(resolve, wait_ms))
      send(`T:${performance.now().toFixed(3).padStart(14, '0')}${filler}`, sent++)
    }
  }
  const settled = async () => {
    const until = performance.now() + 10_000
    while (seen < sent * sockets.length && performance.now() < until) {
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  await speak(options.warm_seconds)
  await settled()
  await ground.analyze()
  const before = { seen, sent, cpu: (await processorSeconds(pid)) ?? Number.NaN }
  latencies.length = 0
  const began = performance.now()
  await speak(options.seconds)
  await settled()
  const seconds = (performance.now() - began) / 1000
  const delivered = seen - before.seen
  const cpu = ((await processorSeconds(pid)) ?? Number.NaN) - before.cpu
  await close()
  return {
    per_second: delivered / seconds,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    cpu_us: (cpu * 1e6) / delivered,
    unexpected: sent * sockets.length - seen,
  }
}

async function openEcho(given: Given): Promise<Room> {
  const { child, port } = await startEcho(given)
  const bare = given.kind === 'ws'
  const path = bare ? '/' : '/socket.io/?EIO=4&transport=websocket'
  const sockets = await Promise.all(
    Array.from({ length: sockets_count }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false })
      // The few packets of Engine.IO that a client owes.
      if (!bare) {
        socket.on('message', (data: Buffer) => {
          if (data[0] === 0x32) socket.send('3')
        })
        const [hello] = (await once(socket, 'message')) as [Buffer]
        if (hello[0] !== 0x30) throw new Error('not a hello of Engine.IO')
        socket.send('40')
        await once(socket, 'message')
        return socket
      }
      await once(socket, 'open')
      return socket
    }),
  )
  return {
    sockets,
    pid: child.pid,
    send: body => sockets[0]?.send(bare ? body : `42["m","${body}"]`),
    close: async () => {
      for (const socket of sockets) socket.terminate()
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}

async function openOurs(ground: Ground): Promise<Room> {
  const conversation_id = await ground.group()
  const sockets = await openSockets(ground, sockets_count)
  return {
    sockets,
    pid: ground.api.pid,
    send: (body, n) =>
      sockets[0]?.send(
        JSON.stringify({ type: 'message.send', request_id: `b-${n}`, conversation_id, body }),
      ),
    close: async () => {
      for (const socket of sockets) socket.terminate()
      await ground.settled()
    },
  }
}
