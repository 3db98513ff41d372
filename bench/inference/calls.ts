/**
 * Blocking calls, with 1, 16 and 64 concurrent: the time that a gateway adds, and its throughput.
 */
import type { Bench } from '../ground/comparison.ts'
import { costNote, figure, ratioVerdict, type Section, type Verdict } from '../ground/report.ts'
import { compete, type Standing } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'
import { measureCalls } from './measure-calls.ts'

const what = { prompt: 'Say something. [[sandbox tokens=100]]', tokens: 20, stream: false }
const levels = [1, 16, 64]

export async function calls({ options }: Bench, ground: Ground): Promise<Section> {
  const { passing, ours, keyed, undurable, portkey } = ground
  const one_tenant = { ...ours, name: 'Dodeca, one tenant', headers: ours.headers.slice(0, 1) }
  const gateways = [passing, ours, undurable, one_tenant, keyed, ...(portkey ? [portkey] : [])]
  const standings: Standing[][] = []
  for (const at_once of levels) {
    const contenders = gateways.map(gateway => ({
      name: gateway.name,
      run: () => measureCalls(gateway, { ...what, at_once }, options),
    }))
    standings.push([...(await compete(contenders, options.rounds))])
  }
  const [alone = [], , full = []] = standings
  const added = (n: number) => (alone[n]?.p50_ms ?? 0) - (alone[0]?.p50_ms ?? 0)
  const [bare, own, , one, key, peer] = full
  const verdicts: Verdict[] = [
    { says: 'added p50', reached: added(1), target: 2, unit: 'ms', wanted: 'at most' },
    ...(bare && own && one && key
      ? [
          ratioVerdict(own, bare, 0.35),
          ratioVerdict(one, bare, 0.3),
          ratioVerdict(key, bare, 0.28),
          cpuVerdict(own),
        ]
      : []),
    ...(own && peer ? [ratioVerdict(own, peer, 0.5)] : []),
  ]
  return {
    title: 'Blocking calls of 20 tokens',
    columns: ['', ...levels.flatMap(n => [`${n}: p50 ms`, 'p99 ms', 'per second']), 'CPU µs each'],
    rows: gateways.map(({ name }, n) => [
      name,
      ...standings.flatMap(level => cells(level[n])),
      cpuOf(full[n]),
    ]),
    verdicts,
    notes: [
      'Columns: calls at one time. One process of each on one core; the provider and the client on the other.',
      'Ours commits twice for each call, with waiting for the disk; 64 callers in 64 tenants. The others store nothing.',
      `Added p50 without waiting for the disk: ${figure(added(2))} ms${portkey ? `; Portkey: ${figure(added(5))} ms` : ''}.`,
      own && bare ? costNote(own, bare) : '',
      ...standings
        .flat()
        .flatMap(one =>
          one.unexpected > 0 ? [`${one.name}: ${one.unexpected} answers were not 200.`] : [],
        ),
    ],
  }
}

/** Of the process of Node, without PostgreSQL. */
function cpuVerdict({ cpu_us }: Standing): Verdict {
  const reached = (cpu_us ?? 0) / 1000
  return {
    says: 'processor time of Node a call',
    reached,
    target: 1.5,
    unit: 'ms',
    wanted: 'at most',
  }
}

function cells(one: Standing | undefined): string[] {
  if (!one) return ['–', '–', '–']
  return [figure(one.p50_ms), figure(one.p99_ms), Math.round(one.per_second).toLocaleString('en')]
}

function cpuOf(one: Standing | undefined): string {
  return one?.cpu_us == null ? '–' : figure(one.cpu_us)
}
