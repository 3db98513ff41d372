/**
 * Short links beside what bounds them: redirects beside bare node:http with the same bytes, the storing of
 * clicks beside COPY of the same rows, reading and rebuilding statistics, and a creation beside pgbench.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { comparison } from './ground/comparison.ts'
import { startLinks } from './links/prepare.ts'
import { accountFor, redirects } from './links/redirects.ts'
import { statistics } from './links/statistics.ts'

await comparison('links', async ({ options, database }) => {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-links-'))
  const url = await database.create('links')
  const program = await startLinks(url, folder, options)
  const account = { followed: 0, runs: 0 }
  const measured = await redirects(options, url, program, account)
  measured.push(await accountFor(url, program.port, account))
  await program.stop()
  measured.push(...(await statistics(options, database)))
  await rm(folder, { recursive: true, force: true })
  return measured
})
