/**
 * One client with six connections beside four processes that never rest, while documents are read:
 * how many of its requests are refused as overloaded.
 */
import { newId } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { requestText, type Request } from '../ground/load.ts'
import { startOn } from '../ground/machine.ts'
import { startOperated, type Operated } from '../ground/operated.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import { openWire } from '../ground/wire.ts'

const busy_count = 4

export async function starved({ options, database }: Bench): Promise<Section> {
  const seconds = options.seconds * 10
  const at = await startOperated(database, 'overload_starved')
  const { body } = await at.call('POST', '/v1/collections', { name: 'manuals' })
  const requests = requestsIn(body['id'] ?? '')
  const busy = Array.from({ length: busy_count }, () =>
    startOn({ side: 'free', program: 'sh', args: ['-c', endless(seconds)], stdio: 'ignore' }),
  )
  const failed = new Map<string, number>()
  const taken: number[] = []
  const until = performance.now() + seconds * 1000
  const client = async (next: () => Request) => {
    const wire = await openWire(at.port)
    while (performance.now() < until) {
      const began = performance.now()
      const { status, body: reply } = await wire.ask(requestText({ ...next(), token: at.token }))
      taken.push(performance.now() - began)
      if (status < 400) continue
      const { code } = JSON.parse(reply) as { code: string }
      failed.set(code, (failed.get(code) ?? 0) + 1)
    }
    wire.close()
  }
  let late = 0
  try {
    await Promise.all(requests.map(client))
    late = await refusedLate(at)
  } finally {
    for (const one of busy) one.kill('SIGKILL')
    await at.stop()
  }
  const sorted = taken.toSorted((a, b) => a - b)
  const refused = failed.get('overloaded') ?? 0
  return {
    title: `One client with six connections beside ${busy_count} busy processes`,
    columns: ['', 'requests', 'p50 ms', 'p99 ms', 'refused'],
    rows: [
      [
        `for ${figure(seconds)} s, while documents are read`,
        String(taken.length),
        figure(percentile(sorted, 0.5)),
        figure(percentile(sorted, 0.99)),
        String(refused),
      ],
    ],
    verdicts: [
      {
        says: 'Refused as overloaded',
        reached: refused,
        target: 0,
        unit: '',
        wanted: 'at most',
      },
    ],
    notes: [
      `${late} of them waited for the process itself; others for a connection to the database.`,
      ...[...failed].map(([code, count]) => `${count} replies were ${code}.`),
    ],
  }
}

/** What the six connections of the client ask for, each one thing again and again. */
function requestsIn(id: string): readonly (() => Request)[] {
  const text = 'The budget of the year is approved by the board. '.repeat(2000)
  return [
    () => ({
      method: 'POST',
      path: `/v1/collections/${id}/documents`,
      key: `bench-${newId()}`,
      body: { text: `${newId()} ${text}` },
    }),
    () => ({ method: 'POST', path: '/v1/search', body: { collection_ids: [id], query: 'budget' } }),
    () => ({ path: '/v1/limits?limit=100' }),
    () => ({ path: '/v1/me' }),
    () => ({ path: `/v1/collections/${id}` }),
    () => ({ path: '/problems?limit=100' }),
  ]
}

/** What the process has refused because its event loop was late. */
async function refusedLate({ port, token }: Operated): Promise<number> {
  const wire = await openWire(port)
  const { status, body } = await wire.ask(requestText({ path: '/metrics', token }))
  wire.close()
  if (status !== 200) throw new Error(`/metrics: ${status}`)
  const found = body.matchAll(/^http_requests_refused_total\{reason="overloaded".*\} (\d+)$/gm)
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Ends by itself, should this process be killed. */
function endless(seconds: number): string {
  return `ulimit -t ${Math.ceil(seconds)}; while :; do :; done`
}
