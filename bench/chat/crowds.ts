/**
 * Many small conversations, each sender with some messages under way: a hundred rooms of five, and all pairs of
 * ten people. Beside socket.io that stores each message by an INSERT before it sends it.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Bench } from '../ground/comparison.ts'
import { ended, processorSeconds } from '../ground/machine.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import type { Given } from './echo-process.ts'
import { startEcho } from './echo.ts'
import { openSockets, type Ground } from './ground.ts'

const in_flight = 20
const filler = 'x'.repeat(170)

type Crowd = {
  readonly sockets: readonly WebSocket[]
  readonly pid: number | undefined
  send(from: number, conversation: number, body: string): void
  close(): Promise<void>
}
/** The members of each conversation. */
type Plan = readonly (readonly number[])[]

const rooms: Plan = Array.from({ length: 100 }, (_, n) =>
  [0, 1, 2, 3, 4].map(k => (n + 2 * k) % 10),
)
const pairs: Plan = Array.from({ length: 10 }, (_, a) => a).flatMap(a =>
  Array.from({ length: 9 - a }, (_, k) => [a, a + k + 1]),
)

export const crowdsOfFive = (bench: Bench, ground: Ground) =>
  crowds(bench, ground, '100 rooms of five', rooms)
export const crowdsOfTwo = (bench: Bench, ground: Ground) =>
  crowds(bench, ground, `${pairs.length} pairs`, pairs)

async function crowds(
  { options }: Bench,
  ground: Ground,
  says: string,
  plan: Plan,
): Promise<Section> {
  const stored: Given = { kind: 'socket.io, stored', database_url: ground.database_url }
  const standings = await compete(
    [
      {
        name: stored.kind,
        run: async () => measure(ground, await openEcho(stored, plan), plan, options),
      },
      {
        name: 'dodeca',
        run: async () => measure(ground, await openOurs(ground, plan), plan, options),
      },
    ],
    options.rounds,
  )
  const [theirs, ours] = standings
  if (!theirs || !ours) throw new Error('not everybody was measured')
  return standingsOf(
    `Deliveries in ${says}, ${in_flight} messages of each of ten people under way`,
    standings,
    [ratioVerdict(ours, theirs, 2)],
    ['Latency is from the send to the own copy. Both commit each message before it is delivered.'],
  )
}

async function measure(
  ground: Ground,
  { sockets, pid, send, close }: Crowd,
  plan: Plan,
  { warm_seconds, seconds }: Bench['options'],
): Promise<Measure> {
  const own = sockets.map((_, at) => plan.flatMap((who, n) => (who.includes(at) ? [n] : [])))
  const latencies: number[] = []
  const now = { seen: 0, turn: 0, running: true }
  const next = (at: number) => {
    const conversation = own[at]?.[(++now.turn * 7919) % (own[at]?.length ?? 1)] ?? 0
    const sent_at = performance.now().toFixed(3).padStart(14, '0')
    if (now.running) send(at, conversation, `F:${at}|T:${sent_at}${filler}`)
  }
  for (const [at, socket] of sockets.entries()) {
    socket.on('message', (data: Buffer) => {
      const mark = data.indexOf('F:')
      if (mark < 0) return
      now.seen++
      if (data[mark + 2] !== 0x30 + at) return
      latencies.push(performance.now() - Number(data.toString('latin1', mark + 6, mark + 20)))
      next(at)
    })
    for (let n = 0; n < in_flight; n++) next(at)
  }
  const pause = (s: number) => new Promise(resolve => setTimeout(resolve, s * 1000))
  await pause(warm_seconds)
  await ground.analyze()
  const before = { seen: now.seen, cpu: (await processorSeconds(pid)) ?? Number.NaN }
  latencies.length = 0
  await pause(seconds)
  const delivered = now.seen - before.seen
  const cpu = ((await processorSeconds(pid)) ?? Number.NaN) - before.cpu
  now.running = false
  await close()
  return {
    per_second: delivered / seconds,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    cpu_us: (cpu * 1e6) / delivered,
    unexpected: 0,
  }
}

async function openEcho(given: Given, plan: Plan): Promise<Crowd> {
  const { child, port } = await startEcho(given)
  const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`
  const sockets = await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      const socket = new WebSocket(url, { perMessageDeflate: false })
      socket.on('message', (data: Buffer) => {
        if (data[0] === 0x32) socket.send('3')
      })
      await once(socket, 'message')
      socket.send('40')
      await once(socket, 'message')
      const own = plan.flatMap((who, n) => (who.includes(at) ? [`r${n}`] : []))
      socket.send(`42["join",${JSON.stringify(own)}]`)
      return socket
    }),
  )
  return {
    sockets,
    pid: child.pid,
    send: (from, n, body) => sockets[from]?.send(`42["to","r${n}","${body}"]`),
    close: async () => {
      for (const socket of sockets) socket.terminate()
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}

async function openOurs(ground: Ground, plan: Plan): Promise<Crowd> {
  const { people, api } = ground
  const ids: string[] = []
  for (const [first = 0, ...others] of plan) {
    const who = people[first]
    if (!who) throw new Error('too few people')
    const member_ids = others.map(at => people[at]?.id)
    const type = member_ids.length === 1 ? 'direct' : 'group'
    ids.push(
      String((await ground.ask(who, 'POST', '/v1/conversations', { type, member_ids }))['id']),
    )
  }
  const sockets = await openSockets(ground, people.length)
  let turn = 0
  return {
    sockets,
    pid: api.pid,
    send: (from, n, body) => {
      const request_id = `c-${from}-${++turn}-${Math.trunc(performance.now())}`
      const frame = { type: 'message.send', request_id, conversation_id: ids[n], body }
      sockets[from]?.send(JSON.stringify(frame))
    },
    close: async () => {
      for (const socket of sockets) socket.terminate()
      await ground.settled()
    },
  }
}
