/**
 * Workflows: the cost of a step beside DBOS and beside pgbench with the statements of a step, of the
 * last of a thousand steps beside the tenth, of ten thousand runs that wait, and of a process that
 * dies.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { comparison, type Bench } from './ground/comparison.ts'
import { analyzeFilled, ask } from './ground/database.ts'
import { readOptions } from './ground/options.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import { productionEnvironment } from './ground/platform.ts'
import { figure, type Section, type Verdict } from './ground/report.ts'
import { median, percentile } from './ground/rounds.ts'
import type { RunsAsked, RunsSaid } from './ground/runs-process.ts'
import type { DbosAsked, DbosSaid } from './workflows/dbos-process.ts'

type Platform = { ask(asked: RunsAsked): Promise<RunsSaid>; readonly child: ChildProcess }

async function startRuns(url: string, concurrency = 20): Promise<Platform> {
  const file = fileURLToPath(new URL('./ground/runs-process.ts', import.meta.url))
  // All processes on one database have the same keys.
  const { KERNEL_KEYRING, KERNEL_PEPPER } = productionEnvironment(url)
  const env = { ...process.env, KERNEL_KEYRING, KERNEL_PEPPER }
  const child = fork(file, [url, String(concurrency)], { env })
  await once(child, 'message')
  return {
    child,
    ask: async asked => {
      child.send(asked)
      const [said] = (await once(child, 'message')) as [RunsSaid]
      return said
    },
  }
}

async function number(url: string, statement: string): Promise<number> {
  const [row] = await ask(url, statement)
  return Number(Object.values(row ?? {})[0])
}

async function until(url: string, statement: string): Promise<void> {
  while ((await number(url, statement)) > 0) await wait(50)
}

const open = `select count(*) from jobs.jobs where completed_at is null`
const most = (says: string, reached: number, target: number, unit = ''): Verdict => {
  return { says, reached, target, unit, wanted: 'at most' }
}

/** What one `write` step sends, from clients that have nothing else to do. */
const step_script = `
\\set n random(1, 1000000000)
begin;
insert into public.effects (run_id, n) values (gen_random_uuid(), :n);
with held as materialized (select gen_random_uuid() as job_id, gen_random_uuid() as tenant_id)
insert into jobs.job_steps (tenant_id, job_id, name, sequence, kind, state, attempts, result,
  completed_at)
select tenant_id, job_id, 'step', 1, 'write', 'done', 1, '1'::json, kernel.now() from held;
commit;`

const ten_runs = { count: 500, steps: 10 }

/** Steps a second, from the submission of all runs to the end of the last one. */
async function ourSteps(url: string): Promise<number> {
  const runs = await startRuns(url)
  await runs.ask({ ask: 'submit', type: 'bench.writes', ...ten_runs })
  await until(url, open)
  const seconds = await number(
    url,
    `select extract(epoch from max(completed_at) - min(created_at)) from jobs.jobs`,
  )
  runs.child.kill()
  await once(runs.child, 'exit')
  return (ten_runs.count * ten_runs.steps) / seconds
}

async function dbosSteps(url: string): Promise<number> {
  const child = fork(fileURLToPath(new URL('./workflows/dbos-process.ts', import.meta.url)), [url])
  await once(child, 'message')
  child.send({ ...ten_runs, together: 20 } satisfies DbosAsked)
  const [{ seconds }] = (await once(child, 'message')) as [DbosSaid]
  child.kill()
  await once(child, 'exit')
  return (ten_runs.count * ten_runs.steps) / seconds
}

async function ten({ database, options }: Bench): Promise<readonly Section[]> {
  const program = await findPgbench()
  const found: (readonly [number, number, number])[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const url = await database.create(`workflows_ten_${round}`)
    const ours = await ourSteps(url)
    const dbos = await dbosSteps(await database.create(`workflows_dbos_${round}`))
    const bare = await pgbench({ program, url, script: step_script, clients: 4 }, options)
    found.push([ours, dbos, bare.per_second])
  }
  const says = 'steps a second / pgbench'
  const reached = median(found.map(([ours, , bare]) => ours / bare))
  return [
    {
      title: 'Runs of ten `write` steps, twenty at a time',
      columns: ['round', 'dodeca, steps a second', 'DBOS', 'pgbench, 4 clients'],
      rows: found.map((rates, index) => [String(index + 1), ...rates.map(figure)]),
      verdicts: [
        most('time of a run / DBOS', median(found.map(([ours, dbos]) => dbos / ours)), 1.5),
        { says, reached, target: 0.3, unit: '', wanted: 'at least' },
      ],
      notes: [
        'A step of DBOS is a transaction of its data source: the effect and its output are one commit, and DBOS records the step in another one.',
        'pgbench sends an effect and a step in one commit. The platform also claims each run, keeps and checks its lease at each step, ends it and announces its end.',
      ],
    },
  ]
}

async function thousand({ database }: Bench): Promise<readonly Section[]> {
  const url = await database.create('workflows_thousand')
  const runs = await startRuns(url)
  await runs.ask({ ask: 'submit', type: 'bench.writes', count: 1, steps: 1000 })
  await until(url, open)
  const gaps = await ask(
    url,
    `select sequence, extract(epoch from created_at - lag(created_at) over (order by sequence)) * 1000
       as ms
     from jobs.job_steps order by sequence`,
  )
  runs.child.kill()
  const between = (from: number, to: number) =>
    median(gaps.slice(from, to).map(row => Number(row['ms'])))
  const [early, late] = [between(5, 105), between(900, 1000)]
  return [
    {
      title: 'A run of a thousand `write` steps',
      columns: ['steps', 'ms each'],
      rows: [
        ['6 to 105', figure(early)],
        ['901 to 1,000', figure(late)],
      ],
      verdicts: [most('the last / the first steps', late / early, 1.2)],
      notes: [],
    },
  ]
}

const waiting_runs = 10_000

async function waiting({ database }: Bench): Promise<readonly Section[]> {
  const url = await database.create('workflows_waiting')
  const runs = await startRuns(url)
  const commits = `select xact_commit from pg_stat_database where datname = current_database()`
  const idle = async () => {
    // Until what followed the last work has ended.
    await wait(15_000)
    const before = await number(url, commits)
    await wait(10_000)
    return ((await number(url, commits)) - before) / 10
  }
  const alone = await idle()
  await runs.ask({ ask: 'submit', type: 'bench.waits', count: waiting_runs, steps: 0 })
  await until(url, `select ${waiting_runs} - count(*) from jobs.step_waits where is_open`)
  await until(url, `select count(*) from jobs.job_attempts where state = 'running'`)
  await analyzeFilled(url)
  const beside = await idle()
  const { ms } = await runs.ask({ ask: 'wake', count: 1000, gap_ms: 20 })
  runs.child.kill()
  const [p50, p99] = [percentile(ms, 0.5), percentile(ms, 0.99)]
  return [
    {
      title: 'Ten thousand runs wait, each for its aggregate',
      columns: ['', ''],
      rows: [
        ['transactions a second of an idle platform', figure(alone)],
        ['with the runs that wait', figure(beside)],
        ['from an event to the next step, p50 ms', figure(p50)],
        ['p99 ms', figure(p99)],
      ],
      verdicts: [
        most('from an event to the next step, p99', p99, 50, 'ms'),
        most('transactions a second of runs that wait', Math.max(0, beside - alone), 0.5),
      ],
      notes: ['A thousand events, one each 20 ms.'],
    },
  ]
}

const lease_seconds = 5

async function killed({ database }: Bench): Promise<readonly Section[]> {
  const url = await database.create('workflows_killed')
  const first = await startRuns(url, 1000)
  await first.ask({ ask: 'submit', type: 'bench.calls', count: 1000, steps: 40 })
  const running = `select count(*) from jobs.job_attempts where state = 'running'`
  while ((await number(url, running)) < 1000) await wait(50)
  const second = await startRuns(url, 1000)
  first.child.kill('SIGKILL')
  const began = performance.now()
  await until(
    url,
    `select count(*) from jobs.jobs j where completed_at is null and attempt_count < 2`,
  )
  const seconds = (performance.now() - began) / 1000
  await until(url, open)
  second.child.kill()
  const failed = await number(url, `select count(*) from jobs.jobs where state <> 'succeeded'`)
  return [
    {
      title: 'A process dies that runs a thousand workflows',
      columns: ['', ''],
      rows: [
        ['all go on elsewhere after s', figure(seconds)],
        ['failed', String(failed)],
      ],
      verdicts: [
        most('all go on after', seconds, lease_seconds + 2, 's'),
        most('failed runs', failed, 0),
      ],
      notes: [`Their lease is ${lease_seconds} s.`],
    },
  ]
}

const parts = { ten, thousand, waiting, killed }
const { only } = readOptions()
const asked = Object.entries(parts).filter(([name]) => only === null || only === name)
for (const [name, measure] of asked) await comparison(`workflows ${name}`, measure)
if (asked.length === 0) {
  process.stderr.write(`\n--only is one of ${Object.keys(parts).join(', ')}.\n`)
  process.exitCode = 1
}
