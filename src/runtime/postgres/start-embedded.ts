/**
 * The embedded PostgreSQL. The platform uses it if DATABASE_URL is not set. There is one server per
 * DATA_DIR. The first process starts the server and the others join. It writes durably (fsync and
 * synchronous_commit are on) and recovers by itself after any crash.
 */
/* oxlint-disable node/no-sync -- all of it runs before anything is served, or as the last thing */
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Command, holdCompanion, type Launched } from '../child-processes.ts'
import { commandLine, type DataDir, openDataDir } from '../data-dir.ts'
import { codeOf, StartError } from '#dodeca/kernel'
import { type Account, lentAccount, nativeDir, usableBinaries } from './embedded-binaries.ts'
import { openCluster, passwordOf } from './data-folder.ts'

export type PostgresOptions = {
  readonly data_dir: string
  /** Reports progress on the terminal when a step takes long. */
  readonly progress: (line: string) => void
  /** Server settings that extend or replace the settings below. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * The folder with `bin`, `lib` and `share`. The default is the folder of the installed npm
   * package.
   */
  readonly native_dir?: string
  /**
   * The place of programs and data if the account that runs them has no access to root's DATA_DIR.
   */
  readonly system_dir?: string
}

export type PostgresFacts = {
  /** The URL uses TCP, because the socket in `cluster_dir` was not faster in our measurement. */
  readonly url: string
  readonly bin_dir: string
  /** The real path of the database's folder, even if `DATA_DIR/postgres` is a link. */
  readonly cluster_dir: string
}

export type Postgres = PostgresFacts & {
  readonly joined: boolean
  release(): Promise<void>
}

type Server = PostgresFacts & { command: Command }

/** The server's name among the companions of a DATA_DIR. */
export const postgres_companion = 'postgres'

// Settings for a small machine: a quarter of a gigabyte of cache, no jit (it costs more than it
// saves here), disks without seek time. Errors of statements are not logged, because the platform
// logs its own. wal_compression is off, because this build has neither lz4 nor zstd.
const settings_default = {
  shared_buffers: '256MB',
  max_connections: '200',
  fsync: 'on',
  synchronous_commit: 'on',
  wal_level: 'replica',
  max_wal_size: '2GB',
  // An online backup needs all segments since its start, also after a forced checkpoint.
  wal_keep_size: '256MB',
  jit: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_lock_waits: 'on',
  log_line_prefix: '%m [%p] ',
}

const launches_max = 20
const recovery_ms_max = 600_000
const joining_ms_max = 15_000
/**
 * The longest path of a Unix socket that every system accepts, minus the length of the file name.
 */
const socket_folder_bytes_max = 103 - '/.s.PGSQL.65535'.length

export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const data_dir = openDataDir(options.data_dir)
  const held = await holdCompanion<PostgresFacts>(data_dir, postgres_companion, launch =>
    begin(data_dir, options, launch),
  )
  if (held.joined) {
    const refusal = await ready(held.facts.url, () => false, joining_ms_max, options.progress)
    if (refusal) {
      await held.release()
      throw new StartError(
        `The database of ${data_dir.path} runs, but does not answer (${refusal}). ` +
          `Its log is ${logOf(data_dir)}. Stop the other processes of this folder and start again.`,
      )
    }
  }
  return { ...held.facts, joined: held.joined, release: held.release }
}

async function begin(
  data_dir: DataDir,
  options: PostgresOptions,
  launch: (command: Command) => Promise<Launched>,
): Promise<PostgresFacts> {
  const { progress, system_dir = '/var/lib/dodeca' } = options
  const account = lentAccount(data_dir.postgres)
  const binaries = usableBinaries(options.native_dir ?? nativeDir(), account, system_dir)
  const cluster_dir = await openCluster(data_dir, binaries, account, system_dir, progress)
  refuseForeignServer(cluster_dir)
  for (let launched_before = 0; ; launched_before++) {
    const { command, ...facts } = await serverOn(cluster_dir, binaries.bin_dir, account, options)
    const launched = await launch(command)
    const refusal = await ready(facts.url, launched.ended, recovery_ms_max, progress)
    if (!refusal) return facts
    const output = launched.output()
    await launched.stop()
    // Another program has taken the port, or processes of a killed server have not ended yet.
    const passing = /could not bind|still in use|lock file/.test(output)
    if (!passing || launched_before === launches_max) throw didNotStart(refusal, output, data_dir)
    await pause(100)
  }
}

async function serverOn(
  cluster_dir: string,
  bin_dir: string,
  account: Account | undefined,
  options: PostgresOptions,
): Promise<Server> {
  const port = await freePort()
  const has_socket = Buffer.byteLength(cluster_dir) <= socket_folder_bytes_max
  const settings = {
    ...settings_default,
    ...options.settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: has_socket ? cluster_dir : '',
    unix_socket_permissions: '0700',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const credentials = `dodeca:${passwordOf(cluster_dir)}`
  // Over its socket, a round trip costs 10 µs less on each side than over TCP. TCP is for programs
  // that cannot use a socket.
  const over_socket = has_socket ? `?host=${encodeURIComponent(cluster_dir)}` : ''
  return {
    url: `postgresql://${credentials}@127.0.0.1:${port}/dodeca${over_socket}`,
    bin_dir,
    cluster_dir,
    command: {
      argv: [join(bin_dir, 'postgres'), '-D', cluster_dir, ...flags],
      env: { LC_ALL: 'C', ...formerServer(cluster_dir) },
      ...account,
      // TERM alone would wait for all sessions to end. INT ends them and still shuts down cleanly.
      stop_signals: ['TERM', 'INT'],
      grace_seconds: 120,
    },
  }
}

/**
 * A dead server leaves its pid in its pid file. After a reboot or in a restarted container, that
 * pid may belong to any process, even to our own shell. We pass the pid as the grandparent, so that
 * PostgreSQL treats the file as stale. PostgreSQL still checks the shared memory of processes that
 * might be alive.
 */
function formerServer(cluster_dir: string): Record<string, string> {
  const pid = postmasterPid(cluster_dir)
  return pid ? { PG_GRANDPARENT_PID: String(pid) } : {}
}

function refuseForeignServer(cluster_dir: string): void {
  const pid = postmasterPid(cluster_dir)
  const command_line = pid ? commandLine(pid) : ''
  if (!command_line.includes(`postgres -D ${cluster_dir}`) || /^\S*sh /.test(command_line)) return
  throw new StartError(
    `A PostgreSQL that this platform did not start (pid ${pid}) runs on ${cluster_dir}. ` +
      'Stop it, then start again.',
  )
}

function postmasterPid(cluster_dir: string): number {
  const file = join(cluster_dir, 'postmaster.pid')
  return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) || 0 : 0
}

/** Returns undefined if the server accepts queries, otherwise the reason. */
async function ready(
  url: string,
  ended: () => boolean,
  within_ms: number,
  progress: (line: string) => void,
): Promise<string | undefined> {
  const start = performance.now()
  for (let spoke_ms = 0; ; await pause(5)) {
    const refusal = await refusalOf(url)
    if (!refusal) return undefined
    const passed_ms = performance.now() - start
    if (ended() || passed_ms > within_ms) return refusal
    if (passed_ms - spoke_ms < 5000) continue
    spoke_ms = passed_ms
    progress(`Waiting for the database, ${Math.round(passed_ms / 1000)} s (${refusal}) …`)
  }
}

async function refusalOf(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  // A server may disconnect right after the greeting. That counts as a refusal and must not end our
  // process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return undefined
  } catch (error) {
    return (error as Error).message || codeOf(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

function didNotStart(refusal: string, output: string, data_dir: DataDir): StartError {
  // During recovery the server refuses connections. This refusal is not the reason why the server
  // failed.
  const fatal = output
    .split('\n')
    .filter(line => !/the database system is (starting up|not yet)/.test(line))
    .findLast(line => /FATAL|PANIC|error while loading/.test(line))
  const reason = fatal?.replace(/^.*?(FATAL|PANIC): +/, '') ?? refusal
  return new StartError(
    `The embedded PostgreSQL does not start: ${reason}. More is in ${logOf(data_dir)}. ` +
      'Correct that, or name another PostgreSQL with DATABASE_URL.',
  )
}

function logOf(data_dir: DataDir): string {
  return join(data_dir.folder('companions'), `${postgres_companion}.log`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
