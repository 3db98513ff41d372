/**
 * The time from the start of the program to the first 200 of /readyz: first with a new database,
 * then with the existing one. The program is the one that users run, with its embedded PostgreSQL.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { comparison } from './ground/comparison.ts'
import { startProgram } from './ground/program.ts'
import { figure } from './ground/report.ts'
import { median } from './ground/rounds.ts'

await comparison('cold-start', async ({ options }) => {
  const first: number[] = []
  const again: number[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-start-'))
    await chmod(folder, 0o755)
    first.push(await startOnce(folder))
    again.push(await startOnce(folder))
    again.push(await startOnce(folder))
    process.stderr.write(
      `  round ${round}: ${[...first.slice(-1), ...again.slice(-2)].map(figure).join(', ')} s\n`,
    )
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const most = (says: string, values: readonly number[], target: number) => ({
    says,
    reached: median(values),
    target,
    unit: 's',
    wanted: 'at most' as const,
  })
  return [
    {
      title: 'Cold start',
      columns: ['', 'seconds to ready'],
      rows: [
        ['first start, with initdb', figure(median(first))],
        ['with existing data', figure(median(again))],
      ],
      verdicts: [most('first start', first, 6), most('with existing data', again, 1.5)],
      notes: ['Packages are installed; the development profile, so the sandbox starts too.'],
    },
  ]
})

async function startOnce(data_dir: string): Promise<number> {
  const program = await startProgram({ DATA_DIR: data_dir, LOG_LEVEL: 'error' })
  await program.stop()
  return program.ready_ms / 1000
}
