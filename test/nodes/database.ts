/**
 * PostgreSQL 15 with a synchronous streaming standby, and PgBouncer in front of whichever of the two is
 * the primary: in transaction mode for the platform's pool, in session mode for the connections that
 * listen. All of them run in the hub.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { asPostgres, postgresAccount, postgresProgram } from '../postgres-15.ts'
import { eventually } from '../world.ts'
import type { Network } from './network.ts'

export const pgbouncer = '/usr/sbin/pgbouncer'

export type Database = {
  /** For nodes: in transaction mode, and in session mode. */
  readonly pooled_url: string
  readonly direct_url: string
  /** For the test. */
  readonly test_url: string
  /** Stops the primary and starts it again: as an operator does (fast), or as after a crash (immediate). */
  restart(how: 'fast' | 'immediate'): Promise<void>
  /** The primary dies and does not come back; the standby becomes the primary of PgBouncer. */
  failOver(): Promise<void>
  /** Makes a synchronous standby in the place of the primary that died. */
  rebuildStandby(): Promise<void>
  close(): Promise<void>
}

type Server = { readonly folder: string; readonly port: number; process?: ChildProcess }

const pooler_port = 6432

export async function openDatabase(network: Network): Promise<Database> {
  const home = await mkdtemp(join(tmpdir(), 'dodeca-nodes-database-'))
  const account = postgresAccount()
  await chown(home, account.uid, account.gid)
  const servers: readonly [Server, Server] = [
    { folder: join(home, 'first'), port: 5432 },
    { folder: join(home, 'second'), port: 5433 },
  ]
  const under = asPostgres(account)
  const command = (argv: readonly string[]) => network.run('hub', [...under, ...argv])
  const url = (side: 'front' | 'back', database: string) =>
    `postgres://postgres@${network.address(side)}:${pooler_port}/${database}`

  const startServer = async (server: Server) => {
    const argv = [postgresProgram('postgres'), '-D', server.folder, '-p', String(server.port)]
    server.process = network.spawn('hub', [...under, ...argv], { quiet: true })
    const answers = () => command(psql(server.port, 'select 1')).then(Boolean, () => false)
    await eventually('PostgreSQL accepts connections', answers)
  }
  const [first] = servers
  let [primary, standby] = servers
  await command([postgresProgram('initdb'), '-D', first.folder, '-U', 'postgres', '-A', 'trust'])
  await writeFile(join(first.folder, 'postgresql.conf'), configuration(home), { flag: 'a' })
  await startServer(first)
  await command(psql(first.port, 'create database dodeca'))
  const makeStandby = async () => {
    await command(copyOf(primary, standby))
    await startServer(standby)
    // After the copy: a standby that is promoted must not wait for one of its own.
    await command(psql(primary.port, `alter system set synchronous_standby_names = '*'`))
    await command(psql(primary.port, 'select pg_reload_conf()'))
    await eventually('the standby is synchronous', async () => {
      const states = psql(primary.port, 'select sync_state from pg_stat_replication')
      return (await command(states)).includes('sync')
    })
  }
  await makeStandby()

  const ini = join(home, 'pgbouncer.ini')
  await writeFile(ini, await poolerConfiguration(primary.port))
  const pooler = network.spawn('hub', [...under, pgbouncer, ini], { quiet: true })
  const test_url = url('front', 'dodeca_direct')
  await eventually('PgBouncer accepts connections', () => canConnect(test_url))
  return {
    pooled_url: url('back', 'dodeca'),
    direct_url: url('back', 'dodeca_direct'),
    test_url,
    restart: async how => {
      await stop(primary, how === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await startServer(primary)
    },
    failOver: async () => {
      await stop(primary, 'SIGQUIT')
      ;[primary, standby] = [standby, primary]
      await command([postgresProgram('pg_ctl'), 'promote', '-D', primary.folder])
      await writeFile(ini, await poolerConfiguration(primary.port))
      await command(psql(pooler_port, 'RELOAD', 'pgbouncer'))
    },
    rebuildStandby: async () => {
      await rm(standby.folder, { recursive: true })
      await makeStandby()
    },
    close: async () => {
      pooler.kill('SIGKILL')
      await Promise.all(servers.map(one => stop(one, 'SIGQUIT')))
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function copyOf(primary: Server, standby: Server): string[] {
  const options = `-h 127.0.0.1 -p ${primary.port} -U postgres -D ${standby.folder} -R -X stream -c fast`
  return [postgresProgram('pg_basebackup'), ...options.split(' ')]
}

async function stop({ process }: Server, signal: NodeJS.Signals): Promise<void> {
  if (!process || process.exitCode !== null || process.signalCode !== null) return
  const gone = once(process, 'exit')
  process.kill(signal)
  await gone
}

const psql = (port: number, statement: string, database = 'postgres') => [
  'psql',
  '-h',
  '127.0.0.1',
  '-p',
  String(port),
  '-U',
  'postgres',
  '-Atc',
  statement,
  database,
]

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** The machine is not cut off from its power here, so the disk need not be waited for. */
const configuration = (home: string) => `
listen_addresses = '127.0.0.1'
unix_socket_directories = '${home}'
max_connections = 200
shared_buffers = '64MB'
fsync = off
wal_level = replica
hot_standby = on
wal_retrieve_retry_interval = '500ms'
`

/** The example of deploy/, with this primary and without passwords, for PgBouncer 1.18. */
async function poolerConfiguration(port: number): Promise<string> {
  const file = new URL('../../deploy/pgbouncer/pgbouncer.ini', import.meta.url)
  return (await readFile(file, 'utf8'))
    .replaceAll('host=db.example.com port=5432', `host=127.0.0.1 port=${port} user=postgres`)
    .replace('auth_type = scram-sha-256', 'auth_type = any')
    .replaceAll(/^(auth_file|max_prepared_statements) = .*$/gm, '')
    .replace('admin_users = pgbouncer', 'admin_users = postgres\nunix_socket_dir =')
}
