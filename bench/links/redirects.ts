/**
 * Redirects beside bare node:http with the same bytes: one hot link, all of a hundred thousand from memory,
 * and unknown codes. Clicks are recorded throughout, and after each round it is waited until they are
 * stored, so that neither's turn pays for the other's.
 */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ask } from '../ground/database.ts'
import { ended, startOn } from '../ground/machine.ts'
import type { Options } from '../ground/options.ts'
import type { Program } from '../ground/program.ts'
import { costNote, ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, median } from '../ground/rounds.ts'
import type { Given } from './bare-redirect.ts'
import { get, host, sampleOf } from './prepare.ts'
import { connections, wrk } from './wrk.ts'

type Case = {
  readonly title: string
  readonly sample: string
  /** In Lua, for the request number n. */
  readonly path: string
  readonly target: number
  readonly p99_target?: number
  /** So many are answered before anything counts. */
  readonly requests_before: number
}

const cases: readonly Case[] = [
  {
    title: 'One hot link, clicks recorded',
    sample: '/b000001',
    path: 'return "/b000001"',
    target: 0.85,
    p99_target: 1.5,
    requests_before: 30_000,
  },
  {
    title: 'Uniform over 100,000 remembered links, clicks recorded',
    sample: '/b000002',
    path: 'return string.format("/b%06d", n)',
    target: 0.8,
    requests_before: 500_000,
  },
  {
    title: 'Unknown codes',
    sample: '/zz0001x',
    path: 'return string.format("/zz%04dx", n % 1000)',
    target: 0.8,
    requests_before: 30_000,
  },
]

/** Redirects that clients have counted. */
export type Account = { followed: number; runs: number }

export async function redirects(
  options: Options,
  url: string,
  program: Program,
  account: Account,
): Promise<Section[]> {
  const sections: Section[] = []
  for (const one of cases) sections.push(await measure(options, url, program, account, one))
  return sections
}

async function measure(
  options: Options,
  url: string,
  { port, pid }: Program,
  account: Account,
  { title, sample, path, target, p99_target, requests_before }: Case,
): Promise<Section> {
  const given = await sampleOf(port, sample)
  const counts = given.status === 302
  if (counts) account.followed += 2
  const bare = await startBare(given)
  const run = (of: { port: number; pid: number | undefined }, seconds: number) =>
    wrk({ ...of, path, host, seconds })
  const ours = async (seconds: number) => {
    const measured = await run({ port, pid }, seconds)
    if (counts) account.followed += measured.completed
    account.runs++
    await stored(url, account)
    return measured
  }
  await run(bare, 1)
  // They ask at random: after five times as many requests as links all but one in 150 are remembered.
  for (let asked = 0, turns = 0; asked < requests_before && turns < 12; turns++) {
    asked += (await ours(Math.ceil(options.warm_seconds))).completed
  }
  const [limit, dodeca] = await compete(
    [
      { name: 'node:http', run: () => run(bare, options.seconds) },
      { name: 'dodeca', run: () => ours(options.seconds) },
    ],
    options.rounds,
  )
  await bare.stop()
  if (!limit || !dodeca) throw new Error('nobody competed')
  const p99_ratio = median(
    dodeca.turns.map(({ p99_ms }, at) => p99_ms / (limit.turns[at]?.p99_ms ?? Number.NaN)),
  )
  return standingsOf(
    `${title}, ${connections} connections`,
    [limit, dodeca],
    [
      ratioVerdict(dodeca, limit, target),
      ...(p99_target === undefined
        ? []
        : [
            {
              says: 'p99 of dodeca / node:http',
              reached: p99_ratio,
              target: p99_target,
              unit: '',
              wanted: 'at most' as const,
            },
          ]),
    ],
    [costNote(dodeca, limit), 'PostgreSQL shares the core of the server.'],
  )
}

async function startBare(given: Given) {
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

const patience_ms = 120_000

/** Until nothing more comes in; answers how many clicks are stored. */
async function stored(url: string, account: Account): Promise<number> {
  const began = performance.now()
  for (let before = -1; ;) {
    const [row] = await ask(url, 'select count(*)::int as n from links.click_events')
    const now = Number(row?.['n'])
    if (now >= account.followed && now === before) return now
    if (performance.now() - began > patience_ms) {
      throw new Error(`${now} clicks are stored of ${account.followed} redirects`)
    }
    before = now
    await new Promise(resolve => setTimeout(resolve, 400))
  }
}

/**
 * What a client has in flight when it stops is answered and counted by the server alone; so the account
 * is closed with requests that are all waited for.
 */
export async function accountFor(url: string, port: number, account: Account): Promise<Section> {
  const unheard = (await stored(url, account)) - account.followed
  const before = await stored(url, account)
  const asked = 20_000
  let followed = 0
  const agent = Array.from({ length: 32 }, async (_, visitor) => {
    for (let visit = visitor; visit < asked; visit += 32) {
      const { status } = await get(port, '/b000001')
      if (status === 302) followed++
    }
  })
  await Promise.all(agent)
  const exact = { followed: before + followed, runs: 0 }
  const difference = (await stored(url, exact)) - exact.followed
  return {
    title: 'Clicks stored beside redirects answered',
    columns: ['', 'redirects', 'stored beyond them'],
    rows: [
      ['all rounds of wrk', account.followed.toLocaleString('en'), String(unheard)],
      ['32 visitors who wait for each answer', followed.toLocaleString('en'), String(difference)],
    ],
    verdicts: [
      { says: 'Difference', reached: Math.abs(difference), target: 0, unit: '', wanted: 'at most' },
    ],
    notes: [
      `wrk breaks off up to ${connections} requests at the end of each of its ${account.runs} rounds, after they were answered.`,
    ],
  }
}
