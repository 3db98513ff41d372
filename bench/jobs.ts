/**
 * Long work beside the queues that people use: preloaded jobs that do nothing, worked off by one process
 * with fifty places; those that keep the history and those that delete what is done are two lanes and
 * never mixed. Then the start of a single job, claims in front of a backlog, and ends that come too late.
 */
import { comparison, type Bench } from './ground/comparison.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import { claimTimes, fill, openClaims, stallAll } from './ground/queues/claims.ts'
import { claimAndFinish } from './ground/queues/limit.ts'
import { openRedis } from './ground/queues/redis.ts'
import { startQueue, walBytes, type QueueKind } from './ground/queues/start-queue.ts'
import { figure, type Section, type Verdict } from './ground/report.ts'
import { median, percentile } from './ground/rounds.ts'

type Turn = { readonly rate: number; readonly cpu_us: number | null; readonly wal: number | null }
type Contender = { readonly name: string; readonly turns: Turn[]; run(name: string): Promise<Turn> }

await comparison('jobs', async bench => {
  const kept = await lane(bench, 'History kept', [
    limit(bench, 'pgbench with the same statements'),
    postgres(bench, 'dodeca', 'dodeca', 4000),
    postgres(bench, 'pg-boss 12, batches of 100', 'pg-boss', 700),
    redis(bench, 'BullMQ, jobs kept, fsync always', 'bullmq-kept', 'always', 2000),
    redis(bench, 'BullMQ, jobs kept, fsync each second', 'bullmq-kept', 'everysec', 2000),
  ])
  const gone = await lane(bench, 'Deleted when done', [
    postgres(bench, 'graphile-worker', 'graphile', 2000),
    postgres(bench, 'graphile-worker, batched', 'graphile-batched', 8000),
    redis(bench, 'BullMQ, jobs removed, fsync always', 'bullmq', 'always', 2000),
  ])
  return [kept, gone, await starts(bench), await backlogs(bench)]
})

function postgres(bench: Bench, name: string, kind: QueueKind, per_second: number): Contender {
  const count = Math.ceil(per_second * bench.options.seconds)
  return {
    name,
    turns: [],
    run: async database => {
      const url = await bench.database.create(database)
      const { profile } = bench.options
      const queue = await startQueue({ kind, url, profile: kind === 'dodeca' ? profile : null })
      await queue.load(count)
      const before = await walBytes(url)
      const { seconds, cpu_us } = await queue.drain(count)
      const wal = ((await walBytes(url)) - before) / count
      await queue.kill()
      return { rate: count / seconds, cpu_us, wal }
    },
  }
}

function redis(
  bench: Bench,
  name: string,
  kind: QueueKind,
  appendfsync: 'always' | 'everysec',
  per_second: number,
): Contender {
  const count = Math.ceil(per_second * bench.options.seconds)
  return {
    name,
    turns: [],
    run: async () => {
      const server = await openRedis(appendfsync)
      if (!server) return { rate: Number.NaN, cpu_us: null, wal: null }
      const queue = await startQueue({ kind, url: server.url })
      await queue.load(count)
      const { seconds, cpu_us } = await queue.drain(count)
      await queue.kill()
      await server.close()
      return { rate: count / seconds, cpu_us, wal: null }
    },
  }
}

function limit(bench: Bench, name: string): Contender {
  const transactions = Math.ceil((4000 * bench.options.seconds) / 50 / 4)
  return {
    name,
    turns: [],
    run: async database => {
      const url = await bench.database.create(database)
      const queue = await startQueue({ kind: 'dodeca', url })
      await queue.load(transactions * 50 * 4)
      await queue.kill()
      const before = await walBytes(url)
      const script = claimAndFinish()
      const told = { program: await findPgbench(), url, script, clients: 4, transactions }
      const { per_second } = await pgbench(told, bench.options)
      const wal = ((await walBytes(url)) - before) / (transactions * 50 * 4)
      return { rate: per_second * 50, cpu_us: null, wal }
    },
  }
}

async function lane(bench: Bench, title: string, contenders: Contender[]): Promise<Section> {
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const [at, one] of contenders.entries()) {
      const turn = await one.run(`jobs_${title.slice(0, 4).toLowerCase()}_${at}_${round}`)
      one.turns.push(turn)
      process.stderr.write(`  round ${round}: ${one.name} ${Math.round(turn.rate)}/s\n`)
    }
  }
  const rateOf = (one: Contender) => median(one.turns.map(({ rate }) => rate))
  const mean = (of: (turn: Turn) => number | null, one: Contender) => {
    const known = one.turns.flatMap(turn => of(turn) ?? [])
    return known.length > 0 ? figure(median(known)) : '–'
  }
  const ours = contenders.find(one => one.name === 'dodeca')
  const verdict = (at: number, target: number): Verdict[] => {
    const other = contenders[at]
    if (!ours || !other) return []
    const reached = rateOf(ours) / rateOf(other)
    return [{ says: `dodeca / ${other.name}`, reached, target, unit: '', wanted: 'at least' }]
  }
  return {
    title,
    columns: ['', 'jobs per second', 'worker CPU µs a job', 'WAL bytes a job'],
    rows: contenders.map(one => [
      one.name,
      Number.isNaN(rateOf(one)) ? 'no Redis here' : figure(rateOf(one)),
      mean(turn => turn.cpu_us, one),
      mean(turn => turn.wal, one),
    ]),
    verdicts: ours ? [...verdict(0, 0.8), ...verdict(2, 1.3)] : [],
    notes: ours
      ? [
          'Dodeca also gives each completion event its position in the log, in the same process.',
          'The CPU of a worker includes its start, spread over the jobs of a round.',
        ]
      : ['These keep nothing of a job that is done. Batched, graphile-worker is far ahead here.'],
  }
}

async function starts(bench: Bench): Promise<Section> {
  const measured: { name: string; p50: number; p99: number }[] = []
  for (const [name, kind] of [
    ['dodeca', 'dodeca'],
    ['graphile-worker', 'graphile'],
    ['pg-boss 12', 'pg-boss'],
  ] as const) {
    const url = await bench.database.create(`jobs_start_${measured.length}`)
    const queue = await startQueue({ kind, url })
    await queue.latencies(50, 5)
    const times = await queue.latencies(Math.ceil(100 * bench.options.seconds), 5)
    await queue.kill()
    measured.push({ name, p50: percentile(times, 0.5), p99: percentile(times, 0.99) })
  }
  const [ours] = measured
  const most = (says: string, reached: number, target: number): Verdict => {
    return { says, reached, target, unit: 'ms', wanted: 'at most' }
  }
  return {
    title: 'From the commit of one job to its start, about 150 a second',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: measured.map(one => [one.name, figure(one.p50), figure(one.p99)]),
    verdicts: ours ? [most('p50', ours.p50, 5), most('p99', ours.p99, 20)] : [],
    notes: ['Who submits and who runs are one process; pg-boss polls twice a second.'],
  }
}

async function backlogs(bench: Bench): Promise<Section> {
  const rows: string[][] = []
  const found: number[] = []
  for (const waiting of [10_000, 100_000, 1_000_000]) {
    const open = await openClaims(await bench.database.create(`jobs_backlog_${waiting}`))
    await fill(open, waiting, 1000)
    await claimTimes(open, 50)
    const { p50, p99 } = await claimTimes(open, 400)
    found.push(p99)
    rows.push([`${waiting.toLocaleString('en')} waiting`, figure(p50), figure(p99)])
    await open.close()
  }
  const stalling = await openClaims(await bench.database.create('jobs_stalls'))
  const { stale, taken } = await stallAll(stalling, 10_000)
  await stalling.close()
  const ratio = (found.at(-1) ?? Number.NaN) / (found[0] ?? Number.NaN)
  const most = { unit: '', wanted: 'at most' } as const
  return {
    title: 'A claim of ten jobs, of a thousand tenants',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows,
    verdicts: [
      {
        says: 'p99 with a million waiting / with ten thousand',
        reached: ratio,
        target: 2,
        ...most,
      },
      { says: `ends taken of ${stale} that came too late`, reached: taken, target: 0, ...most },
    ],
    notes: [],
  }
}
