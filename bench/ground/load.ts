/** Puts load on an HTTP server and measures it: requests, latencies, and the processor time per request. */
import { fileURLToPath } from 'node:url'
import type { Load, Plan } from './load-process.ts'
import { ended, processorTime, startOn, type ProcessorTime } from './machine.ts'
import type { Options } from './options.ts'
import type { Measure } from './rounds.ts'

export type Target = {
  readonly port: number
  readonly pid: number | undefined
  readonly connections: number
  readonly requests: readonly string[]
  readonly status?: number
  /** Requests a second. Without it, as many as the server can answer. */
  readonly rate?: number
}

export async function load(target: Target, options: Options): Promise<Measure> {
  const { port, pid, connections, requests, status = 200, rate } = target
  const plan: Plan = {
    port,
    connections,
    requests,
    status,
    rate,
    seconds: options.seconds,
    warm_seconds: options.warm_seconds,
  }
  const child = startOn({
    side: 'client',
    program: process.execPath,
    args: [fileURLToPath(new URL('./load-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let before: Promise<ProcessorTime | null> | undefined
  let after: Promise<ProcessorTime | null> | undefined
  let found: Load | undefined
  child.on('message', (message: { at: string; load?: Load }) => {
    if (message.at === 'begin') before = processorTime(pid)
    else after = processorTime(pid)
    found = message.load
  })
  child.send(plan)
  await ended(child)
  if (!found) throw new Error('the client ended without an answer')
  const [from, to] = [await before, await after]
  const { requests: count } = found
  const each = (of: keyof ProcessorTime) =>
    from && to ? ((to[of] - from[of]) * 1e6) / count : null
  return {
    per_second: count / found.seconds,
    p50_ms: found.p50_ms,
    p99_ms: found.p99_ms,
    cpu_us: each('whole_s'),
    user_us: each('user_s'),
    unexpected: found.unexpected,
  }
}

export type Request = {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A request as it goes over the wire. */
export function requestText({
  method = 'GET',
  path,
  token,
  key,
  headers = {},
  body,
}: Request): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(token ? [`authorization: Bearer ${token}`] : []),
    ...(key ? [`idempotency-key: ${key}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(text
      ? ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]
      : []),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
