/**
 * Blocking calls, with 1, 16 and 64 concurrent: the time that a gateway adds, and its throughput.
 */
import type { Bench } from '../ground/comparison.ts'
import { costNote, figure, type Section, type Verdict } from '../ground/report.ts'
import { compete, ratioOf, type Standing } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'
import { measureCalls } from './measure-calls.ts'

const what = { prompt: 'Say something. [[sandbox tokens=100]]', tokens: 20, stream: false }
const levels = [1, 16, 64]

export async function calls({ options }: Bench, ground: Ground): Promise<Section> {
  const { passing, ours, undurable, portkey } = ground
  const one_tenant = { ...ours, name: 'Dodeca, one tenant', headers: ours.headers.slice(0, 1) }
  const gateways = [passing, ours, undurable, one_tenant, ...(portkey ? [portkey] : [])]
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
  const [bare, own] = full
  const share = bare && own ? ratioOf(own, bare) : 0
  const verdicts: Verdict[] = [
    { says: 'added p50', reached: added(1), target: 2.4, unit: 'ms', wanted: 'at most' },
    { says: 'Dodeca / pass-through', reached: share, target: 0.2, unit: '', wanted: 'at least' },
    {
      says: 'calls a second, 64 at a time',
      reached: own?.per_second ?? 0,
      target: 424,
      unit: '',
      wanted: 'at least',
    },
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
      `Added p50 without waiting for the disk: ${figure(added(2))} ms${portkey ? `; Portkey: ${figure(added(4))} ms` : ''}.`,
      own && bare ? costNote(own, bare) : '',
      ...standings
        .flat()
        .flatMap(one =>
          one.unexpected > 0 ? [`${one.name}: ${one.unexpected} answers were not 200.`] : [],
        ),
    ],
  }
}

function cells(one: Standing | undefined): string[] {
  if (!one) return ['–', '–', '–']
  return [figure(one.p50_ms), figure(one.p99_ms), Math.round(one.per_second).toLocaleString('en')]
}

function cpuOf(one: Standing | undefined): string {
  return one?.cpu_us == null ? '–' : figure(one.cpu_us)
}
