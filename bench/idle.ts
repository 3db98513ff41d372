/**
 * What the platform costs without requests: transactions in the database, processor time and memory
 * of its process, for the whole program and for the small surfaces with their consumers.
 */
import { comparison, type Bench } from './ground/comparison.ts'
import { ask } from './ground/database.ts'
import { processorSeconds, residentMegabytes } from './ground/machine.ts'
import { productionEnvironment, startPlatform } from './ground/platform.ts'
import { startProgram } from './ground/program.ts'
import { figure, type Verdict } from './ground/report.ts'

/** After a start the loops still poll often. At rest each loop has its longest wait. */
const settle_seconds = 30

type Cost = { readonly queries: number; readonly percent: number; readonly megabytes: number }

await comparison('idle', async bench => {
  const program_url = await bench.database.create('idle_program')
  const program = await startProgram(productionEnvironment(program_url))
  const alone = await costOf(bench, 'idle_program', program.pid)
  await program.stop()
  const database_url = await bench.database.create('idle_surfaces')
  const platform = await startPlatform({ database_url, consuming: 'batched' })
  const surfaces = await costOf(bench, 'idle_surfaces', platform.pid)
  await platform.stop()
  const most = (says: string, reached: number, target: number, unit: string): Verdict => ({
    says,
    reached,
    target,
    unit,
    wanted: 'at most',
  })
  const row = (name: string, { queries, percent, megabytes }: Cost) =>
    [name, figure(queries), figure(percent), figure(megabytes)] as const
  return [
    {
      title: 'At rest',
      columns: ['', 'transactions per second', 'CPU %', 'RSS MB'],
      rows: [row('the program', alone), row('two surfaces with consumers', surfaces)],
      verdicts: [
        most('queries', Math.max(alone.queries, surfaces.queries), 4, 'per second'),
        most('processor', Math.max(alone.percent, surfaces.percent), 1, '%'),
        most('memory', Math.max(alone.megabytes, surfaces.megabytes), 150, 'MB'),
      ],
      notes: [
        "Of the program's memory, 60 MB are Node's own binary and libraries (shared by all processes of a machine), and 60 MB are JavaScript: the code and source texts of 2,500 files, and the routes with their schemas. The rest is compiled code, buffers, and memory that the C library keeps after the start.",
      ],
    },
  ]
})

async function costOf({ database, options }: Bench, name: string, pid: number | undefined) {
  const commits = async () => {
    const text = 'select xact_commit::int as commits from pg_stat_database where datname = $1'
    const [row] = await ask(database.url, text, [name])
    return Number(row?.['commits'])
  }
  await pause(settle_seconds)
  const [from, used] = [await commits(), await processorSeconds(pid)]
  const began = performance.now()
  // PostgreSQL sessions report their transactions about once a second, so a short measurement would
  // see jumps.
  await pause(Math.max(20, options.seconds))
  const seconds = (performance.now() - began) / 1000
  const [to, using] = [await commits(), await processorSeconds(pid)]
  const cost: Cost = {
    queries: (to - from) / seconds,
    percent: (((using ?? Number.NaN) - (used ?? Number.NaN)) / seconds) * 100,
    megabytes: (await residentMegabytes(pid)) ?? Number.NaN,
  }
  return cost
}

function pause(seconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, seconds * 1000))
}
