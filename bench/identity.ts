/**
 * Identity beside its lower bounds: logins beside argon2id alone at the same cost, refreshes beside
 * pgbench with the statements of a rotation, a token check beside bare HTTP; how long a second
 * process still accepts the token of a session or a grant that the first has ended; whether the
 * platform still answers while hundreds of logins wait; and grants of applications beside
 * oidc-provider. `--only=` names one of them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { StartError } from '#dodeca/kernel'
import { sample, startBare } from './ground/bare.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { ask } from './ground/database.ts'
import { load, requestText } from './ground/load.ts'
import { residentMegabytes } from './ground/machine.ts'
import type { Options } from './ground/options.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import {
  guess,
  logIn,
  makePeople,
  prepareRotation,
  refresh,
  rotation,
  startProduct,
  type LoggedIn,
} from './ground/product.ts'
import type { Program } from './ground/program.ts'
import { costNote, ratioVerdict, standingsOf, type Section } from './ground/report.ts'
import { compete, percentile, type Measure, type Standing } from './ground/rounds.ts'
import { makeGrants, refreshGrant, startProvider } from './identity/grants.ts'
import { revoke } from './identity/revoke.ts'
import { openWire } from './ground/wire.ts'

const connections = 16
const waiting = 200

type Ground = {
  readonly options: Options
  readonly bench: Bench
  readonly url: string
  readonly folder: string
  readonly first: Program
  readonly people: readonly LoggedIn[]
  readonly cost: { memoryCost: number; timeCost: number; parallelism: number }
}

const parts: Readonly<Record<string, (ground: Ground) => Promise<Section>>> = {
  login: logins,
  refresh: refreshes,
  grants: grantRefreshes,
  token: tokenChecks,
  revocation: revocationLatency,
  waiting: waitingLogins,
}

await comparison('identity', async bench => {
  const { options, database } = bench
  const asked = Object.keys(parts).filter(name => !options.only || name === options.only)
  if (asked.length === 0) {
    throw new StartError(`--only is one of ${Object.keys(parts).join(', ')}.`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-identity-'))
  const url = await database.create('identity')
  const first = await startProduct(url, join(folder, 'first'), { profile: options.profile })
  const people = await makePeople(first.port, connections)
  const ground = { options, bench, url, folder, first, people, cost: await costOf(url) }
  const sections: Section[] = []
  for (const name of asked) sections.push(await (parts[name] as typeof logins)(ground))
  for (const { wire } of people) wire.close()
  await first.stop()
  await rm(folder, { recursive: true, force: true })
  return sections
})

async function costOf(url: string): Promise<Ground['cost']> {
  const [row] = await ask(url, `select value from identity.settings where name = 'password_cost'`)
  if (!row) throw new Error('the cost of hashing was not measured')
  const { m, t, p } = row['value'] as { m: number; t: number; p: number }
  return { memoryCost: m, timeCost: t, parallelism: p }
}

async function logins({ options, people, cost }: Ground): Promise<Section> {
  const cores = Array.from({ length: availableParallelism() })
  const alone = async () => {
    await hash('correct horse battery staple', cost)
    return true
  }
  const standings = await compete(
    [
      { name: 'argon2id alone', run: () => repeat(options, cores, alone) },
      { name: 'dodeca', run: () => repeat(options, people, logIn) },
    ],
    options.rounds,
  )
  return pair('Login, 16 at once', standings, 0.85)
}

async function refreshes({ options, people, bench }: Ground): Promise<Section> {
  const url = await bench.database.create('rotation')
  await prepareRotation(url, connections)
  const program = await findPgbench()
  const script = { program, url, script: rotation, clients: connections }
  const standings = await compete(
    [
      { name: 'pgbench', run: () => pgbench(script, options) },
      { name: 'dodeca', run: () => repeat(options, people, refresh) },
    ],
    options.rounds,
  )
  return pair('Refresh, 16 sessions', standings, 0.45)
}

async function grantRefreshes({ options, people, bench, url, first }: Ground): Promise<Section> {
  const grants = await makeGrants(url, first.port, people)
  const provider = await startProvider(bench.database, connections)
  const standings = await compete(
    [
      { name: 'a session', run: () => repeat(options, people, refresh) },
      { name: 'oidc-provider', run: () => repeat(options, provider.grants, refreshGrant) },
      { name: 'a grant', run: () => repeat(options, grants, refreshGrant) },
    ],
    options.rounds,
  )
  await provider.stop()
  for (const { wire } of grants) wire.close()
  const [session, rival, ours] = standings
  if (!session || !rival || !ours) throw new Error('a competitor is missing')
  return standingsOf(
    'Refresh of an application, 16 grants',
    standings,
    [ratioVerdict(ours, session, 0.9), ratioVerdict(ours, rival, 3)],
    [
      'oidc-provider keeps its records in one table of the same PostgreSQL, as its adapters for databases do. Each refresh rotates the token.',
    ],
  )
}

/** Many requests with one token, as a session makes them; another process, so that it has a core. */
async function tokenChecks({ options, people, url, folder }: Ground): Promise<Section> {
  const path = '/v1/deprecations'
  const token = (people[0] as LoggedIn).access_token
  const product = await startProduct(url, join(folder, 'token'), {
    side: 'server',
    roles: 'api',
    profile: options.profile,
  })
  const bare = await startBare({ kind: 'node', ...(await sample(product.port, path, token)) })
  const requests = [requestText({ path, token })]
  const run = ({ port, pid }: { port: number; pid: number | undefined }) =>
    load({ port, pid, connections: 100, requests }, options)
  const [limit, ours] = await compete(
    [
      { name: 'node:http', run: () => run(bare) },
      { name: 'dodeca', run: () => run(product) },
    ],
    options.rounds,
  )
  await bare.stop()
  await product.stop()
  if (!limit || !ours) throw new Error('a competitor is missing')
  const verdicts = [ratioVerdict(ours, limit, 0.6)]
  const title = 'Token check (GET /v1/deprecations under an access token)'
  return standingsOf(title, [limit, ours], verdicts, [costNote(ours, limit)])
}

async function revocationLatency({ url, folder, first, people }: Ground): Promise<Section> {
  const second = await startProduct(url, join(folder, 'second'))
  const here = `http://127.0.0.1:${first.port}`
  const section = await revoke(here, `http://127.0.0.1:${second.port}`, people[0] as LoggedIn)
  await second.stop()
  return section
}

/**
 * Login attempts keep the queue of hashes full, while a client requests the health of the platform.
 */
async function waitingLogins({ options, first, cost }: Ground): Promise<Section> {
  const wires = await Promise.all(Array.from({ length: waiting }, () => openWire(first.port)))
  const health = await openWire(first.port)
  const well = requestText({ path: '/healthz' })
  const before = (await residentMegabytes(first.pid)) ?? Number.NaN
  let most = before
  const watched = async () => {
    most = Math.max(most, (await residentMegabytes(first.pid)) ?? Number.NaN)
    const from = performance.now()
    const { status } = await health.ask(well)
    times_ms.push(performance.now() - from)
    await new Promise(resolve => setTimeout(resolve, 5))
    return status === 200
  }
  const times_ms: number[] = []
  const [guesses, healths] = await Promise.all([
    repeat(options, wires, guess),
    repeat(options, [0], watched),
  ])
  for (const wire of [...wires, health]) wire.close()
  const hashing = (availableParallelism() * cost.memoryCost) / 1024
  return {
    title: `GET /healthz while ${waiting} logins wait`,
    columns: ['', 'per second', 'p50 ms', 'p99 ms'],
    rows: [
      [
        'logins',
        guesses.per_second.toFixed(0),
        guesses.p50_ms.toFixed(0),
        guesses.p99_ms.toFixed(0),
      ],
      ['healthz', '–', percentile(times_ms, 0.5).toFixed(1), percentile(times_ms, 0.99).toFixed(1)],
    ],
    verdicts: [
      {
        says: 'p99',
        reached: percentile(times_ms, 0.99),
        target: 20,
        unit: 'ms',
        wanted: 'at most',
      },
      {
        says: 'memory that the logins add',
        reached: most - before,
        target: Math.round(hashing) + 100,
        unit: 'MB',
        wanted: 'at most',
      },
    ],
    notes: [
      `${guesses.unexpected + healths.unexpected} answers of an unexpected status.`,
      `Hashing holds ${Math.round(hashing)} MB at most; the rest is for ${waiting} connections.`,
    ],
  }
}

function pair(title: string, [limit, ours]: readonly Standing[], target: number): Section {
  if (!limit || !ours) throw new Error('a competitor is missing')
  return standingsOf(
    title,
    [limit, ours],
    [ratioVerdict(ours, limit, target)],
    ['The client shares the machine with the platform and PostgreSQL.'],
  )
}

/** Each client acts repeatedly, one request at a time. */
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
