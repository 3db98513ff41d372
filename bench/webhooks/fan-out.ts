/** Many events for many endpoints, beside undici alone over the same origins and as many connections. */
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
  type Ours,
  type Seen,
  type Sink,
} from './ground.ts'

const endpoints = 100
const events = 100
const connections = 256
const alone_count = 20_000

type Turn = { readonly rate: number; readonly cpu_us: number | null }

export async function fanOut(bench: Bench): Promise<Section> {
  const sink = await startSink(endpoints)
  const ours = await startOurs(bench, 'webhooks_fan_out')
  const tenant_id = newId()
  await subscribe(ours, tenant_id, sink.ready.ports)
  await emit(ours, [tenant_id], { count: 20 })
  await drained(sink, 20 * endpoints)
  const turns: { undici: Turn; ours: Turn }[] = []
  for (let round = 1; round <= bench.options.rounds; round++) {
    const undici = await undiciAlone(sink)
    const turn = { undici, ours: await fannedOut(ours, sink, tenant_id) }
    tell(
      `round ${round}: undici ${Math.round(undici.rate)}/s, ours ${Math.round(turn.ours.rate)}/s`,
    )
    turns.push(turn)
  }
  await ours.stop()
  await sink.stop()
  return sectionOf(turns)
}

async function undiciAlone(sink: Sink): Promise<Turn> {
  const bare = await startTalking<object>({
    side: 'server',
    program: process.execPath,
    args: [fileURLToPath(new URL('../ground/undici-process.ts', import.meta.url))],
  })
  const { ports } = sink.ready
  await bare.ask({ ports, connections, count: 2000 })
  await sink.ask('take')
  const from = nowMs()
  const { cpu_us } = await costOf(bare.pid, alone_count, () =>
    bare.ask({ ports, connections, count: alone_count }),
  )
  const { last_ms } = await sink.ask<Seen>('take')
  await bare.stop()
  return { rate: (alone_count / (last_ms - from)) * 1000, cpu_us }
}

async function fannedOut(ours: Ours, sink: Sink, tenant_id: string): Promise<Turn> {
  const count = events * endpoints
  const from = nowMs()
  const { result, cpu_us } = await costOf(ours.pid, count, async () => {
    await emit(ours, [tenant_id], { count: events })
    return drained(sink, count)
  })
  return { rate: (count / (result.last_ms - from)) * 1000, cpu_us }
}

function sectionOf(turns: readonly { undici: Turn; ours: Turn }[]): Section {
  const rate = (of: 'undici' | 'ours') => median(turns.map(turn => turn[of].rate))
  const cost = (of: 'undici' | 'ours') => median(turns.map(turn => turn[of].cpu_us ?? Number.NaN))
  const ratio = median(turns.map(turn => turn.ours.rate / turn.undici.rate))
  return {
    title: 'A hundred events for a hundred endpoints',
    columns: ['', 'deliveries per second', 'CPU µs each'],
    rows: [
      [`undici alone, ${connections} connections`, figure(rate('undici')), orDash(cost('undici'))],
      [
        'webhooks, commit of the events to last arrival',
        figure(rate('ours')),
        orDash(cost('ours')),
      ],
    ],
    verdicts: [
      least('deliveries', rate('ours'), 3000, '/s'),
      least('webhooks / undici', ratio, 0.35),
    ],
    notes: ['The processor time is that of the sending process, without PostgreSQL.'],
  }
}
