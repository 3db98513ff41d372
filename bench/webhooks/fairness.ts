/** A hundred endpoints that answer, with and without fifty beside them that keep every request waiting. */
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
} from './ground.ts'

const healthy = 100
const hanging = 50
const burst = 100
/** Events a second while the way of each is measured. */
const paced = 5

type Turn = { readonly rate: number; readonly p99_ms: number }

export async function fairness(bench: Bench): Promise<Section> {
  const turns: { without: Turn; beside: Turn }[] = []
  for (let round = 1; round <= bench.options.rounds; round++) {
    const without = await turnOf(bench, `webhooks_fair_${round}`, 0)
    const beside = await turnOf(bench, `webhooks_unfair_${round}`, hanging)
    tell(`round ${round}: ${Math.round(without.rate)}/s alone, ${Math.round(beside.rate)}/s beside`)
    turns.push({ without, beside })
  }
  const of = (which: 'without' | 'beside', what: keyof Turn) =>
    median(turns.map(turn => turn[which][what]))
  const row = (name: string, which: 'without' | 'beside') =>
    [name, figure(of(which, 'rate')), figure(of(which, 'p99_ms'))] as const
  const ratio = (what: keyof Turn) =>
    median(turns.map(({ without, beside }) => beside[what] / without[what]))
  return {
    title: `${healthy} endpoints that answer, beside ${hanging} that hang`,
    columns: ['', 'healthy deliveries per second', `p99 ms at ${paced * healthy}/s`],
    rows: [row('alone', 'without'), row(`beside ${hanging} that hang`, 'beside')],
    verdicts: [least('throughput', ratio('rate'), 0.8), most('p99', ratio('p99_ms'), 2)],
    notes: [
      'All belong to one tenant and get the same events; those that hang have never answered before.',
    ],
  }
}

/** A new platform for each round, so that it has no knowledge of any endpoint. */
async function turnOf(bench: Bench, name: string, hang: number): Promise<Turn> {
  const sink = await startSink(healthy + hang, hang)
  const ours = await startOurs(bench, name)
  const tenant_id = newId()
  await subscribe(ours, tenant_id, sink.ready.ports.slice(0, healthy))
  await emit(ours, [tenant_id], { count: 20 })
  await drained(sink, 20 * healthy)
  if (hang > 0) await subscribe(ours, tenant_id, sink.ready.ports.slice(healthy))
  const from = nowMs()
  await emit(ours, [tenant_id], { count: burst })
  const { last_ms } = await drained(sink, burst * healthy)
  const count = Math.ceil(paced * bench.options.seconds)
  const committed = await emit(ours, [tenant_id], { count, together: 1, gap_ms: 1000 / paced })
  const waits = waitsOf(committed, await drained(sink, count * healthy))
  await ours.stop()
  await sink.stop()
  return {
    rate: ((burst * healthy) / (last_ms - from)) * 1000,
    p99_ms: percentile(waits, 0.99),
  }
}
