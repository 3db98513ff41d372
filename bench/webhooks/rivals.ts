/**
 * The same deliveries with popular queues, to the same receiver, with the same number of workers.
 * Their deliveries wait as jobs when the clock starts. Ours are still events, so their fan-out,
 * signatures and checks of addresses count.
 */
import { fileURLToPath } from 'node:url'
import { newId } from '#dodeca/kernel'
import { nowMs } from '../ground/answer-beats.ts'
import type { Bench } from '../ground/comparison.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'
import { startTalking } from '../ground/talking.ts'
import {
  costOf,
  drained,
  emit,
  least,
  orDash,
  startOurs,
  startSink,
  subscribe,
  tell,
  type Sink,
} from './ground.ts'

const endpoints = 100
const places = 256

type Turn = { readonly rate: number; readonly cpu_us: number | null }
type Contender = { readonly name: string; readonly turns: Turn[]; run(name: string): Promise<Turn> }

export async function rivals(bench: Bench): Promise<Section> {
  const sink = await startSink(endpoints)
  const contenders: Contender[] = [
    { name: 'webhooks', turns: [], run: name => ours(bench, sink, name) },
    ...(['graphile', 'graphile-batched', 'pg-boss'] as const).map(kind => ({
      name: kind.replace('graphile', 'graphile-worker').replace('-batched', ', batched'),
      turns: [],
      run: (name: string) => rival(bench, sink, kind, name),
    })),
  ]
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const [at, one] of contenders.entries()) {
      const turn = await one.run(`webhooks_rivals_${at}_${round}`)
      one.turns.push(turn)
      tell(`round ${round}: ${one.name} ${Math.round(turn.rate)}/s`)
    }
  }
  await sink.stop()
  const rateOf = ({ turns }: Contender) => median(turns.map(({ rate }) => rate))
  const [we, ...others] = contenders
  return {
    title: 'Beside queues with one POST and one row for each job',
    columns: ['', 'deliveries per second', 'CPU µs each'],
    rows: contenders.map(one => [
      one.name,
      figure(rateOf(one)),
      orDash(median(one.turns.map(({ cpu_us }) => cpu_us ?? Number.NaN))),
    ]),
    verdicts: we
      ? others.map(one => least(`webhooks / ${one.name}`, rateOf(we) / rateOf(one), 1))
      : [],
    notes: [
      `${places} requests at a time for each. The queues' jobs are written before the clock begins;` +
        ' they sign nothing, check no address and keep no endpoint from taking all places.',
    ],
  }
}

async function ours(bench: Bench, sink: Sink, name: string): Promise<Turn> {
  const sender = await startOurs(bench, name, { WEBHOOKS_IN_FLIGHT: String(places * 2) })
  const tenant_id = newId()
  await subscribe(sender, tenant_id, sink.ready.ports)
  await emit(sender, [tenant_id], { count: 20 })
  await drained(sink, 20 * endpoints)
  const events = 100
  const count = events * endpoints
  const from = nowMs()
  const { result, cpu_us } = await costOf(sender.pid, count, async () => {
    await emit(sender, [tenant_id], { count: events })
    return drained(sink, count)
  })
  await sender.stop()
  return { rate: (count / (result.last_ms - from)) * 1000, cpu_us }
}

async function rival(bench: Bench, sink: Sink, kind: string, name: string): Promise<Turn> {
  const url = await bench.database.create(name)
  const program = fileURLToPath(new URL('./rival-process.ts', import.meta.url))
  const queue = await startTalking<object>({
    side: 'server',
    program: process.execPath,
    args: [program, url, kind, String(places)],
  })
  const urls = sink.ready.ports.map(port => `http://127.0.0.1:${port}/`)
  const count = 5000
  await queue.ask({ ask: 'load', urls, count })
  await sink.ask('take')
  const { result, cpu_us } = await costOf(queue.pid, count, async () => {
    await queue.ask({ ask: 'work' })
    return drained(sink, count)
  })
  await queue.stop()
  const first_ms = Math.min(...result.arrived.map(([, at]) => at))
  return { rate: (count / (result.last_ms - first_ms)) * 1000, cpu_us }
}
