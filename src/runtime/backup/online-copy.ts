/**
 * A physical copy of the embedded PostgreSQL while it is in use. The copy has the files between
 * pg_backup_start and pg_backup_stop, which may be inconsistent. It also has the write-ahead log of
 * that time, which makes the files consistent. The copy contains everything that was committed
 * before it began. Recovery ends in a state between two commits.
 */
import { readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { codeOf, StartError } from '#dodeca/kernel'
import { directClient } from '../../kernel/database/direct.ts'
import { copyFile, inLanes, makeFolders, treeOf, type Copied } from './copy.ts'
import type { ClusterCopy } from './manifest.ts'
import { collectWal, parseLsn } from './wal.ts'

export type OnlineCopy = {
  readonly database: ClusterCopy
  readonly folders: readonly string[]
  readonly files: ReadonlyMap<string, Copied>
}

/**
 * The folders must exist, but their content is not copied: it belongs to the running server or is
 * created at its start.
 */
const emptied =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//
const left_out =
  /(^|\/)(postmaster\.(pid|opts)|pgsql_tmp[^/]*|pg_internal\.init[^/]*|backup_label|tablespace_map|\.s\.PGSQL\.\d+(\.lock)?)$/
const control_file = 'global/pg_control'

export async function copyOnline(options: {
  url: string
  /** `DATA_DIR/postgres`, or the target of that link. */
  cluster: string
  to: string
  progress(bytes: number): void
}): Promise<OnlineCopy> {
  const cluster = await realpath(options.cluster)
  await refuseTablespaces(cluster)
  const client = directClient(options.url, 'dodeca backup')
  const ask = async (statement: string, values: unknown[] = []) => {
    const { rows } = await client.query<Record<string, string>>(statement, values)
    return rows[0] ?? {}
  }
  await client.connect()
  try {
    // The role's time limit is meant for requests. The checkpoint of a large database takes longer.
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    const { version = '', segment_bytes = '' } = await ask(
      `select current_setting('server_version') as version,
         (select setting from pg_settings where name = 'wal_segment_size') as segment_bytes`,
    )
    const { start_lsn = '' } = await ask('select pg_backup_start($1, true) as start_lsn', [
      'dodeca backup',
    ])
    const { file = '' } = await ask('select pg_walfile_name(pg_current_wal_lsn()) as file')
    const timeline = Number.parseInt(file.slice(0, 8), 16)
    const tree = await treeOf(cluster, path => emptied.test(path) || left_out.test(path))
    await makeFolders(options.to, [...tree.folders, 'pg_wal/archive_status'])
    const wal = collectWal({
      from: join(cluster, 'pg_wal'),
      to: join(options.to, 'pg_wal'),
      timeline,
      segment_bytes: BigInt(segment_bytes),
      start_lsn: parseLsn(start_lsn),
      current: async () => {
        const { lsn = '' } = await ask('select pg_current_wal_lsn() as lsn')
        return parseLsn(lsn)
      },
    })
    try {
      const files = await copyCluster(cluster, options.to, tree.files, options.progress)
      const stop = await ask(
        `select lsn as stop_lsn, labelfile, spcmapfile from pg_backup_stop(wait_for_archive => false)`,
      )
      const { stop_lsn = '', labelfile = '' } = stop
      for (const [name, copied] of await wal.finish(parseLsn(stop_lsn))) {
        files.set(`pg_wal/${name}`, copied)
      }
      files.set('backup_label', await writeText(join(options.to, 'backup_label'), labelfile))
      const folders = [...tree.folders, 'pg_wal/archive_status']
      const database = { kind: 'cluster', postgres_version: version, timeline } as const
      return { database: { ...database, start_lsn, stop_lsn }, folders, files }
    } finally {
      await wal.abandon()
    }
  } finally {
    // If the session ends, PostgreSQL abandons a backup that was not stopped.
    await client.end()
  }
}

/**
 * The control file is copied last: it must not refer to a checkpoint that is newer than the files.
 */
async function copyCluster(
  cluster: string,
  to: string,
  paths: readonly string[],
  progress: (bytes: number) => void,
): Promise<Map<string, Copied>> {
  const files = new Map<string, Copied>()
  let bytes = 0
  await inLanes(
    paths.filter(path => path !== control_file),
    async path => {
      const copied = await copyFile(join(cluster, path), join(to, path)).catch(dropped)
      if (!copied) return
      files.set(path, copied)
      bytes += copied.bytes
      progress(bytes)
    },
  )
  files.set(control_file, await copyFile(join(cluster, control_file), join(to, control_file)))
  return files
}

/** The table was dropped meanwhile. The log contains the drop too. */
function dropped(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

async function writeText(path: string, text: string): Promise<Copied> {
  await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true })
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { bytes: Buffer.byteLength(text), sha256 }
}

async function refuseTablespaces(cluster: string): Promise<void> {
  const found = await readdir(join(cluster, 'pg_tblspc'))
  if (found.length === 0) return
  throw new StartError(
    'The database has tablespaces outside of its folder, which this backup does not copy. ' +
      'Move their tables back with ALTER TABLE … SET TABLESPACE pg_default, or use pg_basebackup.',
  )
}
