/**
 * The database of the nodes: three hosts with PostgreSQL 15 under Patroni and etcd, made by the files of
 * deploy/database, and HAProxy on each node. Their folders are in memory where
 * there is room: no test cuts the machine off from its power, and etcd counts a late disk as dead.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { databaseFolder } from '../database-folder.ts'
import { asPostgres, postgresAccount } from '../postgres-15.ts'
import { eventually } from '../world.ts'
import { openHost, type DatabaseHost } from './database-host.ts'
import type { Network } from './network.ts'

const run = promisify(execFile)
const deploy = resolve(import.meta.dirname, '../../deploy/database')

/** Debian's packages; `.ci/run` installs them. */
export const databaseIsInstalled = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/bin/etcdctl',
  '/usr/sbin/haproxy',
  '/usr/bin/pgbackrest',
  '/usr/sbin/pgbouncer',
].every(file => existsSync(file))

/** Where backups and archived log go, and the certificate of its authority. */
export type Archive = { readonly endpoint: string; readonly bucket: string; readonly ca: string }

export type Database = {
  readonly hosts: readonly DatabaseHost[]
  /** What a node is configured with: HAProxy on it; on the last one with PgBouncer before it. */
  environmentOf(node: number): Readonly<Record<string, string>>
  /** The database of the platform on a server of this network, under its own role. */
  urlOf(address: string, port: number): string
  /** For the test. */
  readonly test_url: string
  readonly folder: string
  primary(): Promise<DatabaseHost>
  /** The standby that has all that was acknowledged. */
  synchronous(): Promise<DatabaseHost>
  /** As an operator does it on any host: `patronictl`. */
  control(command: string, ...argv: readonly string[]): Promise<string>
  /** Waits until a primary leads and both standbys follow it, one of them synchronously. */
  whole(): Promise<void>
  close(): Promise<void>
}

const haproxy = '/usr/sbin/haproxy'
const proxy_port = 5000
export const database_names = ['db1', 'db2', 'db3'] as const

/** Its hosts come after the nodes in the network. */
export async function openDatabase(
  network: Network,
  nodes: number,
  archive: Archive,
): Promise<Database> {
  const home = await mkdtemp(join(await databaseFolder(), 'dodeca-nodes-database-'))
  await chmod(home, 0o755)
  await makeFiles(network, nodes, archive, home)
  const hosts: DatabaseHost[] = []
  for (const [at, name] of database_names.entries()) {
    hosts.push(await openHost(network, nodes + at, join(home, name)))
  }
  for (const host of hosts) host.startEtcd()
  await run(join(deploy, 'etcd-users.sh'), [home], { timeout: 120_000 })
  for (const host of hosts) host.start()
  const proxies = Array.from({ length: nodes }, (_, node) => node)
  await startProxies(network, proxies, home)
  const pooled = nodes - 1
  const members = () => membersOf(hosts)
  const hostWith = (role: string) => async () => {
    const named = await eventually(`there is a ${role}`, async () =>
      (await members()).find(one => one.role === role && one.state === 'running'),
    )
    return hosts.find(one => one.name === named.name) as DatabaseHost
  }
  const secrets = await readFile(join(home, 'authority/secrets.env'), 'utf8')
  const password = /^DATABASE_PASSWORD=(.*)$/m.exec(secrets)?.[1] ?? ''
  const urlOf = (address: string, port: number) =>
    `postgres://dodeca:${password}@${address}:${port}/dodeca?sslmode=no-verify`
  const environment = await readFile(join(home, 'node/database.env'), 'utf8')
  const [, given = ''] = /^DATABASE_URL=(.*)$/m.exec(environment) ?? []
  const node_url = given.replace('/etc/dodeca/', `${home}/node/`)
  const pooler = await startPooler(network, pooled, home, password)
  const whole = async () => {
    await eventually('the database is whole', async () => {
      const roles = (await members()).map(one => `${one.role} ${one.state}`).toSorted()
      return roles.join() === 'leader running,replica running,sync_standby running'
    })
  }
  await whole()
  await makeBackup(await hostWith('leader')())
  return {
    hosts,
    folder: home,
    environmentOf: node => (node === pooled ? pooler.environment : { DATABASE_URL: node_url }),
    urlOf,
    test_url: urlOf(network.address('front'), proxy_port),
    primary: hostWith('leader'),
    synchronous: hostWith('sync_standby'),
    control: async (command, ...argv) =>
      await (
        await hostWith('leader')()
      ).run('patronictl', '-c', '/etc/patroni/config.yml', command, ...argv),
    whole,
    close: async () => {
      await Promise.all(hosts.map(one => one.powerOff()))
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function makeBackup(primary: DatabaseHost): Promise<void> {
  const backrest = (...argv: string[]) => primary.run('pgbackrest', '--stanza=dodeca', ...argv)
  // The lines of the unit: the first is refused while log is on its way to the archive.
  await eventually('there is a backup', async () => {
    await backrest('stanza-create').catch(() => {})
    return await backrest('--type=full', 'backup').then(
      () => true,
      () => false,
    )
  })
}

async function makeFiles(network: Network, nodes: number, archive: Archive, home: string) {
  const list = (side: 'front' | 'back') =>
    database_names.map((name, at) => `${name}=${network.address(side, nodes + at)}`).join(' ')
  const variables = {
    HOSTS: list('back'),
    ETCD_HOSTS: list('front'),
    NODES: `${network.address('back').replace(/\d+$/, '0')}/24`,
    S3_ENDPOINT: archive.endpoint,
    S3_REGION: 'us-east-1',
    S3_BUCKET: archive.bucket,
    S3_KEY: 'test:tester',
    S3_KEY_SECRET: 'testing',
    S3_CA: archive.ca,
  }
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`)
  await writeFile(join(home, 'hosts.env'), lines.join('\n'))
  await run(join(deploy, 'make-hosts.sh'), [join(home, 'hosts.env'), home])
}

/** On each node, and one for the test, which asks the hub. */
async function startProxies(network: Network, nodes: readonly number[], home: string) {
  const file = join(home, 'node/haproxy.cfg')
  const text = await readFile(file, 'utf8')
  const own = text.replaceAll('/etc/dodeca/', `${home}/node/`)
  await writeFile(file, own)
  const hub = `${home}/node/haproxy-hub.cfg`
  await writeFile(hub, own.replace('bind 127.0.0.1:', `bind ${network.address('front')}:`))
  for (const node of nodes) network.spawn(node, [haproxy, '-db', '-f', file], { quiet: true })
  network.spawn('hub', [haproxy, '-db', '-f', hub], { quiet: true })
}

const pgbouncer = '/usr/sbin/pgbouncer'

/** The example of deploy/, for PgBouncer 1.18, which does not track named statements. */
async function startPooler(network: Network, node: number, home: string, password: string) {
  const example = await readFile(join(deploy, '../pgbouncer/pgbouncer.ini'), 'utf8')
  const ini = join(home, 'pgbouncer.ini')
  const server = `host=127.0.0.1 port=${proxy_port} user=dodeca password=${password}`
  const text = example
    .replaceAll('host=db.example.com port=5432', server)
    .replace('auth_type = scram-sha-256', 'auth_type = any')
    .replaceAll(/^(auth_file|max_prepared_statements) = .*$/gm, '')
    .replace('/etc/dodeca/', `${home}/node/`)
  await writeFile(ini, `${text}unix_socket_dir =\n`)
  await chmod(ini, 0o644)
  await chmod(join(home, 'node'), 0o755)
  await chmod(join(home, 'node/database-ca.crt'), 0o644)
  network.spawn(node, [...asPostgres(postgresAccount()), pgbouncer, ini], { quiet: true })
  const url = (name: string) => `postgres://dodeca@127.0.0.1:6432/${name}`
  return {
    environment: {
      DATABASE_URL: url('dodeca'),
      KERNEL_DATABASE_DIRECT_URL: url('dodeca_direct'),
      KERNEL_DATABASE_PREPARE: 'false',
    },
  }
}

type Member = { readonly name: string; readonly role: string; readonly state: string }

/** As the first host says that answers. */
async function membersOf(hosts: readonly DatabaseHost[]): Promise<readonly Member[]> {
  for (const host of hosts) {
    const answer = await host.ask('/cluster').catch(() => null)
    if (answer?.status !== 200) continue
    return (JSON.parse(answer.text) as { members: Member[] }).members
  }
  return []
}
