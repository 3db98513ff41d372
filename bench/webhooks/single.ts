/** One event and one endpoint: the maximum throughput, and the latency at half of it. */
import { newId } from '#dodeca/kernel'
import { nowMs } from '../ground/answer-beats.ts'
import type { Bench } from '../ground/comparison.ts'
import { figure, type Section } from '../ground/report.ts'
import { median, percentile } from '../ground/rounds.ts'
import {
  drained,
  emit,
  least,
  most,
  startOurs,
  startSink,
  subscribe,
  tell,
  waitsOf,
  type Ours,
  type Sink,
} from './ground.ts'

const tenants = 3
const target = 1500

export async function single(bench: Bench): Promise<Section> {
  const { seconds, rounds } = bench.options
  const sink = await startSink(tenants)
  const ours = await startOurs(bench, 'webhooks_single')
  const tenant_ids = Array.from({ length: tenants }, () => newId())
  for (const [index, tenant_id] of tenant_ids.entries()) {
    await subscribe(ours, tenant_id, sink.ready.ports.slice(index, index + 1), {
      max_in_flight: 64,
    })
  }
  await sustained(ours, sink, tenant_ids, target)
  const rates: number[] = []
  const waits: number[][] = []
  for (let round = 1; round <= rounds; round++) {
    rates.push(await sustained(ours, sink, tenant_ids, target * seconds))
    waits.push(await atHalf(ours, sink, tenant_ids, seconds))
    tell(`round ${round}: ${Math.round(rates.at(-1) ?? 0)}/s`)
  }
  await ours.stop()
  await sink.stop()
  const at = (share: number) => median(waits.map(one => percentile(one, share)))
  return {
    title: 'One event, one endpoint',
    columns: ['', 'per second', 'p50 ms', 'p99 ms'],
    rows: [
      ['as much as there is', figure(median(rates)), '–', '–'],
      ['commit to arrival', figure(target / 2), figure(at(0.5)), figure(at(0.99))],
    ],
    verdicts: [
      least('sustained', median(rates), target, '/s'),
      most(`p99 at ${target / 2}/s`, at(0.99), 250, 'ms'),
    ],
    notes: [],
  }
}

async function sustained(ours: Ours, sink: Sink, tenant_ids: readonly string[], count: number) {
  const from = nowMs()
  const all = emit(ours, tenant_ids, { count, together: 50 })
  const { last_ms } = await drained(sink, count)
  await all
  return (count / (last_ms - from)) * 1000
}

/** Half of what is wanted at most, in transactions of five events. */
async function atHalf(ours: Ours, sink: Sink, tenant_ids: readonly string[], seconds: number) {
  const rate = target / 2
  const paced = { count: rate * seconds, together: 5, gap_ms: 5000 / rate }
  const committed = await emit(ours, tenant_ids, paced)
  return waitsOf(committed, await drained(sink, committed.length))
}
