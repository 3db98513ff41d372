/**
 * Redirects beside bare node:http with the same bytes: one hot link, all of a hundred thousand from memory,
 * and unknown codes. Clicks are recorded throughout, and after each round it is waited until they are
 * stored, so that neither's turn pays for the other's.
 */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../ground/comparison.ts'
import { ended, startOn } from '../ground/machine.ts'
import { costNote, figure, ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, median, type Contender, type Standing } from '../ground/rounds.ts'
import { closeAccount, stored, type Account } from './account.ts'
import type { Given } from './bare-redirect.ts'
import { startNginx } from './nginx.ts'
import { costOf, type Cost } from './cost.ts'
import { host, sampleOf, startLinks, type Linked } from './prepare.ts'
import { connections, wrk, type Counted } from './wrk.ts'

type Case = {
  readonly title: string
  readonly sample: string
  /** In Lua, for the request number n. */
  readonly path: string
  readonly target: number
  readonly p99_target?: number
  /** This many requests are answered before the measurement starts. */
  readonly requests_before: number
}

const cases = {
  hot: {
    title: 'One hot link, clicks recorded',
    sample: '/b000001',
    path: 'return "/b000001"',
    target: 0.85,
    p99_target: 1.5,
    requests_before: 30_000,
  },
  uniform: {
    title: 'Uniform over 100,000 remembered links, clicks recorded',
    sample: '/b000002',
    path: 'return string.format("/b%06d", n)',
    target: 0.8,
    requests_before: 110_000,
  },
  unknown: {
    title: 'Unknown codes',
    sample: '/zz0001x',
    path: 'return string.format("/zz%04dx", n % 1000)',
    target: 0.8,
    requests_before: 30_000,
  },
} satisfies Record<string, Case>

type Served = { readonly port: number; readonly pid: number | undefined; stop(): Promise<void> }

export async function redirects(bench: Bench, name: keyof typeof cases): Promise<Section[]> {
  const one: Case = cases[name]
  const { options } = bench
  const linked = await startLinks(bench)
  const given = await sampleOf(linked.port, one.sample)
  const bare = await startBare(given)
  const nginx = name === 'hot' ? await startNginx(given) : null
  const account: Account = { followed: given.status === 302 ? 2 : 0, runs: 0 }
  const costs: Cost[] = []
  const ours = ourTurn(linked, one, given, account, costs)
  const of = ({ port, pid }: Served) =>
    wrk({ port, pid, path: one.path, host, seconds: options.seconds })
  await wrk({ ...bare, path: one.path, host, seconds: 1 })
  // One run of wrk requests all links in turn; a slow machine needs longer.
  for (let seconds = 3, asked = 0; asked < one.requests_before && seconds < 60; seconds *= 2) {
    asked = (await ours(seconds, true)).completed
  }
  costs.length = 0
  const contenders: Contender[] = [
    { name: 'node:http', run: () => of(bare) },
    { name: 'dodeca', run: () => ours(options.seconds) },
    ...(nginx ? [{ name: 'nginx, return 302', run: () => of(nginx) }] : []),
  ]
  const standings = await compete(contenders, options.rounds)
  await bare.stop()
  await nginx?.stop()
  const closing = given.status === 302 ? [await closeAccount(linked, account)] : []
  await linked.stop()
  return [report(one, standings, costs), ...closing]
}

/** A turn ends when its clicks are stored. */
function ourTurn(
  linked: Linked,
  { path }: Case,
  { status }: Given,
  account: Account,
  costs: Cost[],
) {
  return async (seconds: number, in_turn = false): Promise<Counted> => {
    const cost = await costOf(linked)
    const measured = await wrk({ port: linked.port, pid: linked.pid, path, host, seconds, in_turn })
    costs.push(await cost(measured.completed))
    if (status === 302) account.followed += measured.completed
    account.runs++
    await stored(linked, account)
    return measured
  }
}

function report(
  { title, target, p99_target }: Case,
  standings: readonly Standing[],
  costs: readonly Cost[],
): Section {
  const [limit, dodeca] = standings
  if (!limit || !dodeca) throw new Error('a competitor is missing')
  const p99_ratio = median(
    dodeca.turns.map(({ p99_ms }, at) => p99_ms / (limit.turns[at]?.p99_ms ?? Number.NaN)),
  )
  const p99_verdict = {
    says: 'p99 of dodeca / node:http',
    reached: p99_ratio,
    target: p99_target ?? 0,
    unit: '',
    wanted: 'at most' as const,
  }
  const database_us = median(costs.map(cost => cost.database_us))
  return standingsOf(
    `${title}, ${connections} connections`,
    standings,
    [ratioVerdict(dodeca, limit, target), ...(p99_target === undefined ? [] : [p99_verdict])],
    [
      costNote(dodeca, limit),
      wholeCost(dodeca, limit, database_us),
      `PostgreSQL shares the core of the server: ${figure(database_us)} µs of it a request, beside those of the table.`,
    ],
  )
}

function wholeCost(dodeca: Standing, limit: Standing, database_us: number): string {
  if (dodeca.cpu_us === null || limit.cpu_us === null) return ''
  const ratio = limit.cpu_us / (dodeca.cpu_us + database_us)
  return `Together with the work of PostgreSQL the ratio is ${ratio.toFixed(2)}.`
}

async function startBare(given: Given): Promise<Served> {
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [fileURLToPath(new URL('./bare-redirect.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send(given)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}
