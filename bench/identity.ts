/**
 * Identity beside what bounds it: logins beside argon2id alone at the same cost, refreshes beside
 * pgbench with the statements of a rotation, and how long a second process goes on accepting the token
 * of a session that the first has ended.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { comparison } from './ground/comparison.ts'
import { ask } from './ground/database.ts'
import type { Options } from './ground/options.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import {
  logIn,
  makePeople,
  prepareRotation,
  refresh,
  rotation,
  startProduct,
  type Somebody,
} from './ground/product.ts'
import { ratioVerdict, standingsOf, type Section } from './ground/report.ts'
import { compete, percentile, type Measure, type Standing } from './ground/rounds.ts'

const connections = 16
const revocations = 100

await comparison('identity', async ({ options, database }) => {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-identity-'))
  const url = await database.create('identity')
  const bare_url = await database.create('rotation')
  await prepareRotation(bare_url, connections)
  const program = await findPgbench()
  const first = await startProduct(url, join(folder, 'first'))
  const second = await startProduct(url, join(folder, 'second'))
  const people = await makePeople(first.url, connections)
  const [row] = await ask(url, `select value from identity.settings where name = 'password_cost'`)
  if (!row) throw new Error('the cost of hashing was not measured')
  const { m, t, p } = row['value'] as { m: number; t: number; p: number }
  const cost = { memoryCost: m, timeCost: t, parallelism: p }
  const together = async (act: typeof logIn) =>
    repeat(options, people, async who => act(first.url, who))
  const logins = await compete(
    [
      {
        name: 'argon2id alone',
        run: () =>
          repeat(options, Array.from({ length: availableParallelism() }), async () => {
            await hash('correct horse battery staple', cost)
            return true
          }),
      },
      { name: 'dodeca', run: () => together(logIn) },
    ],
    options.rounds,
  )
  const script = { program, url: bare_url, script: rotation, clients: connections }
  const refreshes = await compete(
    [
      { name: 'pgbench', run: () => pgbench(script, options) },
      { name: 'dodeca', run: () => together(refresh) },
    ],
    options.rounds,
  )
  const revoked = await revoke(first.url, second.url, people[0] as Somebody)
  await second.stop()
  await first.stop()
  await rm(folder, { recursive: true, force: true })
  return [
    pair('Login, 16 at once', logins, 0.85),
    pair('Refresh, 16 sessions', refreshes, 0.45),
    revoked,
  ]
})

function pair(title: string, [limit, ours]: readonly Standing[], target: number): Section {
  if (!limit || !ours) throw new Error('nobody competed')
  return standingsOf(
    title,
    [limit, ours],
    [ratioVerdict(ours, limit, target)],
    ['The client shares the machine with the platform and PostgreSQL.'],
  )
}

/** Each of them acts again and again, one thing at a time. */
async function repeat<T>(
  { seconds, warm_seconds }: Options,
  actors: readonly T[],
  act: (actor: T) => Promise<boolean>,
): Promise<Measure> {
  const began = performance.now() + warm_seconds * 1000
  const end = began + seconds * 1000
  const latencies_ms: number[] = []
  let unexpected = 0
  await Promise.all(
    actors.map(async actor => {
      for (;;) {
        const from = performance.now()
        if (from >= end) return
        const fine = await act(actor)
        if (from < began) continue
        if (fine) latencies_ms.push(performance.now() - from)
        else unexpected++
      }
    }),
  )
  return {
    per_second: latencies_ms.length / seconds,
    p50_ms: percentile(latencies_ms, 0.5),
    p99_ms: percentile(latencies_ms, 0.99),
    cpu_us: null,
    unexpected,
  }
}

async function revoke(here: string, there: string, who: Somebody): Promise<Section> {
  const times_ms: number[] = []
  for (let n = 0; n < revocations; n++) {
    if (!(await logIn(here, who))) throw new Error('a login failed')
    const headers = { authorization: `Bearer ${who.access_token}` }
    if ((await status(there, headers)) !== 200) throw new Error('the token was not accepted')
    await fetch(`${here}/v1/sessions/${who.session_id}`, { method: 'DELETE', headers })
    const from = performance.now()
    while ((await status(there, headers)) === 200);
    times_ms.push(performance.now() - from)
  }
  const at = (share: number) => percentile(times_ms, share)
  return {
    title: 'A revoked session in another process',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: [['from the answer to the first 401', at(0.5).toFixed(1), at(0.99).toFixed(1)]],
    verdicts: [
      { says: 'p99', reached: at(0.99), target: 1000, unit: 'ms', wanted: 'at most' },
      { says: 'p50', reached: at(0.5), target: 30, unit: 'ms', wanted: 'at most' },
    ],
    notes: [],
  }
}

async function status(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/v1/limits`, { headers })
  await response.arrayBuffer()
  return response.status
}
