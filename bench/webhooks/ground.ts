/**
 * The environment of the webhook comparisons: a receiver and the platform in separate processes,
 * and the measured time from a committed event to the received request.
 */
import { fileURLToPath } from 'node:url'
import { nowMs } from '../ground/answer-beats.ts'
import type { Bench } from '../ground/comparison.ts'
import { processorSeconds } from '../ground/machine.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { figure, type Verdict } from '../ground/report.ts'
import { startTalking, type Talking } from '../ground/talking.ts'
import type { Asked } from '../ground/webhooks-process.ts'

export type Sink = Talking<{ readonly ports: readonly number[] }>
export type Ours = Talking<{ readonly port: number }> & { order<T>(asked: Asked): Promise<T> }

/** Ids of events, and when their commit returned. */
export type Committed = readonly (readonly [string, number])[]

export type Seen = {
  readonly count: number
  readonly last_ms: number
  /** Of every request the id of its event, and when it came. */
  readonly arrived: Committed
}

const programs = {
  sink: fileURLToPath(new URL('../ground/sink-process.ts', import.meta.url)),
  ours: fileURLToPath(new URL('../ground/webhooks-process.ts', import.meta.url)),
}

/**
 * A plain server that replies 204 on this number of ports. On the last `hanging` ports it never
 * replies.
 */
export function startSink(ports: number, hanging = 0): Promise<Sink> {
  return startTalking({
    side: 'client',
    program: process.execPath,
    args: [programs.sink, String(ports), String(hanging)],
  })
}

export async function startOurs(
  { database, options: { profile } }: Bench,
  name: string,
  env: Record<string, string> = {},
): Promise<Ours> {
  const talking = await startTalking<{ port: number }>({
    side: 'server',
    program: process.execPath,
    args: [...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), programs.ours],
    env: { ...productionEnvironment(await database.create(name)), ...reachable, ...env },
  })
  return { ...talking, order: asked => talking.ask(asked) }
}

const reachable = {
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOWED_PORTS: '1-65535',
  WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
}

export function subscribe(
  ours: Ours,
  tenant_id: string,
  ports: readonly number[],
  { path = '/', max_in_flight = 8 } = {},
): Promise<void> {
  const endpoints = ports.map(port => `http://127.0.0.1:${port}${path}`)
  return ours.order({ ask: 'subscribe', tenant_id, endpoints, max_in_flight })
}

/** Commits this number of events in transactions of `together`. Returns when each was committed. */
export function emit(
  ours: Ours,
  tenant_ids: readonly string[],
  { count, together = count, gap_ms = 0 }: { count: number; together?: number; gap_ms?: number },
): Promise<Committed> {
  return ours.order({ ask: 'emit', tenant_ids, count, together, gap_ms })
}

const patience_ms = 120_000

/** Waits for this number of requests, and forgets them. */
export async function drained(sink: Sink, count: number): Promise<Seen> {
  const until = nowMs() + patience_ms
  for (;;) {
    const seen = await sink.ask<{ count: number }>('counts')
    if (seen.count >= count) return sink.ask<Seen>('take')
    if (nowMs() > until) throw new Error(`${seen.count} of ${count} requests arrived`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Milliseconds from the commit of its event to each request. */
export function waitsOf(committed: Committed, { arrived }: Seen): number[] {
  const began = new Map(committed)
  return arrived.map(([id, at]) => at - (began.get(id) ?? Number.NaN))
}

/** Microseconds of processor time of a process for each of `many`, while `work` goes on. */
export async function costOf<T>(
  pid: number | undefined,
  many: number,
  work: () => Promise<T>,
): Promise<{ result: T; cpu_us: number | null }> {
  const before = await processorSeconds(pid)
  const result = await work()
  const after = await processorSeconds(pid)
  const cpu_us = before === null || after === null ? null : ((after - before) / many) * 1e6
  return { result, cpu_us }
}

export const orDash = (value: number | null): string => (value === null ? '–' : figure(value))

export const least = (says: string, reached: number, target: number, unit = ''): Verdict => ({
  says,
  reached,
  target,
  unit,
  wanted: 'at least',
})

export const most = (says: string, reached: number, target: number, unit = ''): Verdict => ({
  ...least(says, reached, target, unit),
  wanted: 'at most',
})

export function tell(line: string): void {
  process.stderr.write(`  ${line}\n`)
}
