/** Restores the database to a moment, on another port of a standby's host: docs/database.md. */
import { postgresProgram } from '../postgres-15.ts'
import { eventually } from '../world.ts'
import type { NodesWorld } from './world.ts'

const port = 5433
const folder = '/var/lib/postgresql/beside'

/** Returns the URL of the database as it was at the moment. */
export async function restoreBeside(world: NodesWorld, moment: string): Promise<string> {
  const { database } = world
  const primary = await database.primary()
  // The log up to here is in the archive.
  const psql = async (text: string) => await primary.run('psql', '-qAtc', text)
  const last = (await psql('select pg_walfile_name(pg_switch_wal())')).trim()
  await eventually('the log is archived', async () => {
    const archived = await psql('select last_archived_wal from pg_stat_archiver')
    return archived.trim().slice(8) >= last.slice(8)
  })
  const host = await database.synchronous()
  const backrest = ['pgbackrest', '--stanza=dodeca', `--pg1-path=${folder}`]
  await host.run('mkdir', '-m', '700', '-p', folder)
  const to = ['--type=time', `--target=${moment}`, '--target-action=promote']
  await host.run(...backrest, ...to, '--archive-mode=off', 'restore')
  const options = [`port=${port}`, 'synchronous_standby_names=', `hba_file=${folder}/pg_hba.conf`]
  host.begin(
    postgresProgram('postgres'),
    '-D',
    folder,
    ...options.flatMap(option => ['-c', option]),
  )
  await eventually('the restored database accepts writes', () =>
    host.run('psql', '-p', String(port), '-qAtc', 'select pg_is_in_recovery()').then(
      answer => answer.trim() === 'f',
      () => false,
    ),
  )
  return database.urlOf(host.address, port)
}
