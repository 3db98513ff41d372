/**
 * One event for ten thousand endpoints: when its rows are written, its first request and its last.
 */
import { newId } from '#dodeca/kernel'
import { nowMs } from '../ground/answer-beats.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { residentMegabytes } from '../ground/machine.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'
import {
  drained,
  emit,
  most,
  startOurs,
  startSink,
  subscribe,
  tell,
  waitsOf,
  type Ours,
  type Sink,
} from './ground.ts'

const endpoints = 100
const wide = 10_000
const name = 'webhooks_wide'

type Turn = {
  readonly rows_ms: number
  readonly first_ms: number
  readonly all_ms: number
  readonly megabytes: number
}

export async function widely(bench: Bench): Promise<Section> {
  const sink = await startSink(endpoints)
  const ours = await startOurs(bench, name)
  const tenant_id = newId()
  const ports = Array.from({ length: wide }, (_, index) => sink.ready.ports[index % endpoints] ?? 0)
  const warm_id = newId()
  await subscribe(ours, warm_id, ports.slice(0, endpoints))
  await emit(ours, [warm_id], { count: 50 })
  await drained(sink, 50 * endpoints)
  await subscribe(ours, tenant_id, ports)
  const url = new URL(bench.database.url)
  url.pathname = `/${name}`
  const turns: Turn[] = []
  for (let round = 1; round <= bench.options.rounds; round++) {
    const turn = await once(ours, sink, tenant_id, url.toString())
    tell(
      `round ${round}: first ${Math.round(turn.first_ms)} ms, rows ${Math.round(turn.rows_ms)} ms`,
    )
    turns.push(turn)
  }
  await ours.stop()
  await sink.stop()
  return sectionOf(turns)
}

async function once(ours: Ours, sink: Sink, tenant_id: string, url: string): Promise<Turn> {
  const before = (await residentMegabytes(ours.pid)) ?? Number.NaN
  const committed = await emit(ours, [tenant_id], { count: 1 })
  const [[event_id, committed_ms] = ['', 0]] = committed
  let rows_ms = 0
  while (rows_ms === 0) {
    const text = 'select count(*)::int as made from webhooks.deliveries where event_id = $1'
    const [row] = await ask(url, text, [event_id])
    if (Number(row?.['made']) === wide) rows_ms = nowMs() - committed_ms
    else await new Promise(resolve => setTimeout(resolve, 20))
  }
  const seen = await drained(sink, wide)
  const megabytes = ((await residentMegabytes(ours.pid)) ?? Number.NaN) - before
  const [first_ms = Number.NaN] = waitsOf(committed, seen)
  return { rows_ms, first_ms, all_ms: seen.last_ms - committed_ms, megabytes }
}

function sectionOf(turns: readonly Turn[]): Section {
  const of = (what: keyof Turn) => median(turns.map(turn => turn[what]))
  return {
    title: 'One event for ten thousand endpoints',
    columns: ['', 'ms after the commit'],
    rows: [
      ['first arrival', figure(of('first_ms'))],
      ['all deliveries are rows', figure(of('rows_ms'))],
      ['last arrival', figure(of('all_ms'))],
    ],
    verdicts: [
      most('rows', of('rows_ms'), 1500, 'ms'),
      most('first arrival', of('first_ms'), 200, 'ms'),
      most('more memory', of('megabytes'), 64, 'MB'),
    ],
    notes: [],
  }
}
