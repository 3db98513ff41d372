/**
 * One process with fifty workers drains preloaded jobs that do nothing. The result and the cost of
 * each contender in each round.
 */
import type { Bench } from '../ground/comparison.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { costsFrom, type Costs } from '../ground/queues/costs.ts'
import { claimAndFinish } from '../ground/queues/limit.ts'
import { openRedis } from '../ground/queues/redis.ts'
import { startQueue, type QueueKind } from '../ground/queues/start-queue.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'

export type Turn = Costs & { readonly jobs: number; readonly rate: number }

export type Contender = {
  readonly name: string
  /** Undefined where something is missing on this machine. */
  run(bench: Bench, turn_name: string): Promise<Turn | undefined>
}

export type Standing = { readonly name: string; readonly turns: readonly Turn[] }

type Drain = {
  readonly name: string
  readonly kind: QueueKind
  /** About what it reaches, so that a turn lasts as long as asked. */
  readonly per_second: number
  readonly env?: Readonly<Record<string, string>>
}

export function onPostgres({ name, kind, per_second, env = {} }: Drain): Contender {
  return {
    name,
    run: async ({ database, options }, turn_name) => {
      const jobs = Math.ceil(per_second * options.seconds)
      const url = await database.create(turn_name)
      const profile = kind === 'dodeca' ? options.profile : null
      const queue = await startQueue({ kind, url, env, profile })
      await queue.load(jobs)
      const costs = await costsFrom({ worker_pid: queue.pid, server: url })
      const { seconds } = await queue.drain(jobs)
      const turn = { ...(await costs()), jobs, rate: jobs / seconds }
      await queue.kill()
      return turn
    },
  }
}

export function onRedis(
  { name, kind, per_second }: Drain,
  appendfsync: 'always' | 'everysec',
): Contender {
  return {
    name,
    run: async ({ options }) => {
      const jobs = Math.ceil(per_second * options.seconds)
      const server = await openRedis(appendfsync)
      if (!server) return undefined
      const queue = await startQueue({ kind, url: server.url })
      await queue.load(jobs)
      const costs = await costsFrom({ worker_pid: queue.pid, server: server.pid })
      const { seconds } = await queue.drain(jobs)
      const turn = { ...(await costs()), jobs, rate: jobs / seconds }
      await queue.kill()
      await server.close()
      return turn
    },
  }
}

const clients = 4

/** The platform's own statements from pgbench, which has nothing else to do. */
export function limit(name: string, batch: number, per_second: number): Contender {
  return {
    name,
    run: async ({ database, options }, turn_name) => {
      const transactions = Math.ceil((per_second * options.seconds) / batch / clients)
      const jobs = transactions * batch * clients
      const url = await database.create(turn_name)
      const queue = await startQueue({ kind: 'dodeca', url })
      await queue.load(jobs)
      await queue.kill()
      const costs = await costsFrom({ worker_pid: undefined, server: url })
      const program = await findPgbench()
      const script = claimAndFinish(batch)
      const run = { program, url, script, clients, transactions }
      const { per_second: rate } = await pgbench(run, options)
      return { ...(await costs()), jobs, rate: rate * batch }
    },
  }
}

export async function takeTurns(
  bench: Bench,
  contenders: readonly Contender[],
): Promise<readonly Standing[]> {
  const all = contenders.map((): Turn[] => [])
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const [at, { name, run }] of contenders.entries()) {
      const turn = await run(bench, `jobs_${at}_${round}`)
      if (turn) all[at]?.push(turn)
      const said = turn ? `${Math.round(turn.rate)}/s` : 'cannot be run here'
      process.stderr.write(`  round ${round}: ${name} ${said}\n`)
    }
  }
  return contenders.map(({ name }, at) => ({ name, turns: all[at] ?? [] }))
}

/** The median over the turns of what one did beside the other in the same round. */
export function ratio(one: Standing | undefined, other: Standing | undefined): number {
  const ratios = one?.turns.map((turn, at) => turn.rate / (other?.turns[at]?.rate ?? Number.NaN))
  return ratios && ratios.length > 0 ? median(ratios) : Number.NaN
}

export function table(standings: readonly Standing[]): Pick<Section, 'columns' | 'rows'> {
  const cell = (turns: readonly Turn[], of: (turn: Turn) => number | null) => {
    const known = turns.flatMap(turn => of(turn) ?? [])
    return known.length > 0 ? figure(median(known)) : '–'
  }
  const each = (used: number | null, jobs: number, unit: number) =>
    used === null ? null : (used / jobs) * unit
  return {
    columns: [
      '',
      'jobs per second',
      'worker CPU µs a job',
      'server CPU µs a job',
      'WAL bytes a job',
    ],
    rows: standings.map(({ name, turns }) => [
      name,
      cell(turns, turn => turn.rate),
      cell(turns, ({ worker_seconds, jobs }) => each(worker_seconds, jobs, 1e6)),
      cell(turns, ({ server_seconds, jobs }) => each(server_seconds, jobs, 1e6)),
      cell(turns, ({ wal_bytes, jobs }) => each(wal_bytes, jobs, 1)),
    ]),
  }
}
