/**
 * The client of the HTTP comparisons: keep-alive connections, one request in flight on each, answers
 * read by their Content-Length. It costs a third of what a general client does, so that on two cores
 * the server is what is measured. An answer of another status than the expected one is counted apart.
 */
import { connect, type Socket } from 'node:net'

export type Plan = {
  readonly port: number
  readonly connections: number
  readonly warm_seconds: number
  readonly seconds: number
  readonly status: number
  /** Whole requests, chosen at random; `{fresh}` in one becomes a text never used before. */
  readonly requests: readonly string[]
  /**
   * Requests a second over all connections. Without it, each connection sends its next request
   * after its reply.
   */
  readonly rate?: number | undefined
}

export type Load = {
  readonly requests: number
  readonly seconds: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly unexpected: number
}

type Tally = { latencies_ms: number[]; unexpected: number; measuring: boolean; over: boolean }

const fresh_mark = '{fresh}'
const headers_end = '\r\n\r\n'

if (process.send) process.once('message', (plan: Plan) => void run(plan))

async function run(plan: Plan): Promise<void> {
  const tally: Tally = { latencies_ms: [], unexpected: 0, measuring: false, over: false }
  const next = chooser(plan.requests)
  const sockets = await Promise.all(
    Array.from({ length: plan.connections }, () => open(plan, next, tally)),
  )
  await pause(plan.warm_seconds)
  process.send?.({ at: 'begin' })
  tally.measuring = true
  const began = performance.now()
  await pause(plan.seconds)
  tally.over = true
  const seconds = (performance.now() - began) / 1000
  const sorted = Float64Array.from(tally.latencies_ms).sort()
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const load: Load = {
    requests: sorted.length,
    seconds,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    unexpected: tally.unexpected,
  }
  process.send?.({ at: 'end', load })
  for (const socket of sockets) socket.destroy()
  process.disconnect()
}

function chooser(requests: readonly string[]): () => Buffer {
  const whole = requests.map(text => Buffer.from(text))
  const fresh = requests.some(text => text.includes(fresh_mark))
  let turn = 0
  return () => {
    // A stride without a common factor with the length visits all requests, in an order that does
    // not favour a cache.
    const index = (++turn * 7919) % requests.length
    if (!fresh) return whole[index] as Buffer
    const mark = `${process.pid}-${Math.trunc(performance.now())}-${turn}`.padEnd(24, '0')
    return Buffer.from((requests[index] as string).replace(fresh_mark, mark))
  }
}

function open(plan: Plan, next: () => Buffer, tally: Tally): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(plan.port, '127.0.0.1', () => {
      socket.setNoDelay(true)
      resolve(socket)
      send()
    })
    let sent_at = 0
    let rest = ''
    // At a fixed rate, the latency of a delayed request counts from the time when it was due.
    const every_ms = plan.rate ? (plan.connections * 1000) / plan.rate : 0
    let due_ms = performance.now() + Math.random() * every_ms
    const write = () => void socket.write(next())
    const send = () => {
      const now = performance.now()
      sent_at = every_ms > 0 ? due_ms : now
      const wait_ms = sent_at - now
      due_ms += every_ms
      if (wait_ms > 0) setTimeout(write, wait_ms)
      else write()
    }
    socket.setEncoding('latin1')
    socket.on('error', error => {
      if (!tally.over) reject(error)
    })
    socket.on('data', (text: string) => {
      rest = rest === '' ? text : rest + text
      const length = answerLength(rest)
      if (length === null || rest.length < length) return
      const expected = Number(rest.slice(9, 12)) === plan.status
      rest = rest.slice(length)
      if (tally.measuring && !tally.over) {
        if (expected) tally.latencies_ms.push(performance.now() - sent_at)
        else tally.unexpected++
      }
      if (!tally.over) send()
    })
  })
}

/** The bytes of the first reply, or null until its head is complete. */
export function answerLength(text: string): number | null {
  const head = text.indexOf(headers_end)
  if (head === -1) return null
  const found = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2))
  if (!found) throw new Error('an answer without Content-Length')
  return head + headers_end.length + Number(found[1])
}

function pause(seconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, seconds * 1000))
}
