/**
 * A start and a command, in turns with those of another checkout (`BENCH_BEFORE=<folder>`, with its
 * packages installed): the time until /readyz replies 200, the processor time until then, memory ten
 * seconds later, and the processor time of `dodeca tenant list` beside the running platform.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { comparison } from './ground/comparison.ts'
import { ended, processorSeconds, residentMegabytes, startOn } from './ground/machine.ts'
import { startProgram } from './ground/program.ts'
import { figure, type Section } from './ground/report.ts'
import { median } from './ground/rounds.ts'

const quantities = ['ready s', 'processor s', 'RSS MB', 'tenant list, processor s'] as const
const targets = [0.55, 0.45, 0.75, 0.25]
const rest_ms = 10_000

type Figures = readonly number[]

await comparison('start', async ({ options }) => {
  const { BENCH_BEFORE: before } = process.env
  if (!before)
    throw new StartError('Name another checkout: BENCH_BEFORE=/folder node bench/start.ts')
  const here = resolve(import.meta.dirname, '..')
  const sides = [await openSide(resolve(before)), await openSide(here)] as const
  // What the first start writes, such as the database and compiled code, is there for each turn.
  for (const side of sides) await side.measure()
  for (let round = 1; round <= options.rounds; round++) {
    for (const { name, measure, turns } of sides) {
      turns.push(await measure())
      process.stderr.write(`  round ${round}: ${name}: ${turns.at(-1)?.map(figure).join(', ')}\n`)
    }
  }
  for (const { close } of sides) await close()
  return [sectionOf(sides[0].turns, sides[1].turns)]
})

async function openSide(root: string) {
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-start-'))
  await chmod(data_dir, 0o755)
  const turns: Figures[] = []
  return {
    name: root,
    turns,
    measure: () => measure(root, data_dir),
    close: () => rm(data_dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  }
}

async function measure(root: string, data_dir: string): Promise<Figures> {
  // Makes the bundle of a checkout that has them, as `npm start` does.
  await processorOf(root, ['bin/dodeca.mjs', '--version'], data_dir)
  const program = await startProgram({ DATA_DIR: data_dir, LOG_LEVEL: 'error' }, { root })
  const used = (await processorSeconds(program.pid)) ?? Number.NaN
  await new Promise(done => setTimeout(done, rest_ms))
  const megabytes = (await residentMegabytes(program.pid)) ?? Number.NaN
  const listed = await processorOf(root, ['bin/dodeca.mjs', 'tenant', 'list'], data_dir)
  await program.stop()
  return [program.ready_ms / 1000, used, megabytes, listed]
}

/** With the processes that it starts and waits for, which `times` of a shell adds up. */
async function processorOf(root: string, args: readonly string[], data_dir: string) {
  const command = `node ${args.map(arg => `'${arg}'`).join(' ')} >/dev/null; times`
  const child = startOn({
    side: 'free',
    program: 'bash',
    args: ['-c', `cd '${root}' && PATH="$PWD/node_modules/.bin:$PATH"; ${command}`],
    env: { DATA_DIR: data_dir },
  })
  let said = ''
  child.stdout?.on('data', part => (said += String(part)))
  if ((await ended(child)) !== 0) throw new StartError(`${args.join(' ')} failed in ${root}`)
  const children = said.trim().split('\n').at(-1) ?? ''
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
}

function sectionOf(before: readonly Figures[], now: readonly Figures[]): Section {
  const of = (turns: readonly Figures[]) =>
    quantities.map((_, at) => median(turns.map(turn => turn[at] ?? Number.NaN)))
  const [old_figures, new_figures] = [of(before), of(now)]
  return {
    title: 'A start and a command, beside an older release',
    columns: ['', ...quantities],
    rows: [
      ['the older release', ...old_figures.map(figure)],
      ['this one', ...new_figures.map(figure)],
    ],
    verdicts: quantities.map((says, at) => ({
      says: `${says}, of the older release`,
      reached: (new_figures[at] ?? 0) / (old_figures[at] ?? 0),
      target: targets[at] ?? 1,
      unit: '',
      wanted: 'at most',
    })),
    notes: [
      'In turns, each with its own packages; the development profile, so the sandbox starts too. Memory is that of the main process, ten seconds after it was ready.',
    ],
  }
}
