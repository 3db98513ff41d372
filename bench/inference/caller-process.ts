/**
 * The client of this comparison in its own process: a number of concurrent calls over kept
 * connections, for a given time. It reports when the first text and the end of each call arrived.
 */
import { Pool } from 'undici'

export type Calls = {
  readonly origin: string
  readonly path: string
  /** One of them for each call, in turns. */
  readonly headers: readonly Readonly<Record<string, string>>[]
  readonly body: string
  readonly at_once: number
  readonly warm_seconds: number
  readonly seconds: number
  /** The bytes before the first text of a stream; null to measure the end. */
  readonly first: string | null
}

export type Called = {
  readonly calls: number
  readonly seconds: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly unexpected: number
}

if (process.send) process.once('message', (calls: Calls) => void run(calls))

async function run(calls: Calls): Promise<void> {
  const { origin, at_once, warm_seconds, seconds } = calls
  const pool = new Pool(origin, { connections: at_once, pipelining: 1 })
  const latencies_ms: number[] = []
  const tally = { turn: 0, unexpected: 0, measuring: false, over: false }
  const caller = async () => {
    while (!tally.over) {
      const began = performance.now()
      const ms = await one(pool, calls, tally.turn++)
      if (!tally.measuring || tally.over) continue
      if (ms === null) tally.unexpected++
      else latencies_ms.push(ms - began)
    }
  }
  const callers = Array.from({ length: at_once }, caller)
  await pause(warm_seconds)
  process.send?.({ at: 'begin' })
  tally.measuring = true
  const began = performance.now()
  await pause(seconds)
  tally.over = true
  const measured_seconds = (performance.now() - began) / 1000
  process.send?.({ at: 'end' })
  await Promise.all(callers)
  await pool.close()
  const sorted = Float64Array.from(latencies_ms).sort()
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const called: Called = {
    calls: sorted.length,
    seconds: measured_seconds,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    unexpected: tally.unexpected,
  }
  process.send?.({ at: 'done', called })
  process.disconnect()
}

/** The time when the measured bytes arrived; null for an unexpected reply. */
async function one(pool: Pool, calls: Calls, turn: number): Promise<number | null> {
  const { path, headers, body, first } = calls
  const own = headers[turn % headers.length]
  const answer = await pool.request({ method: 'POST', path, headers: own ?? {}, body })
  let seen_ms: number | null = null
  let text = ''
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    if (first === null || seen_ms !== null) continue
    text += chunk.toString('utf8')
    if (text.includes(first)) seen_ms = performance.now()
  }
  if (answer.statusCode !== 200) return null
  return first === null ? performance.now() : seen_ms
}

function pause(seconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, seconds * 1000))
}
