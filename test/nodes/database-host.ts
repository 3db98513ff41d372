/**
 * One host of the database, in a network namespace of its own: etcd on the side `front`, PostgreSQL and
 * Patroni on the side `back`, with the files of deploy/database where those say. It has its own processes
 * and folders, so all of it can lose its power or stand still at once.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { postgresAccount, postgresProgram } from '../postgres-15.ts'
import { sides, type Network } from './network.ts'

export type DatabaseHost = {
  readonly name: string
  /** In the network. */
  readonly node: number
  readonly address: string
  readonly folder: string
  start(): void
  startEtcd(): void
  stopEtcd(): Promise<void>
  /** Its power goes: it is off the network, and no process of it says good-bye. */
  powerOff(): Promise<void>
  powerOn(): Promise<void>
  /** Every thread stands still; its sockets stay open. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Kills PostgreSQL's first process, and nothing else. */
  killPostmaster(): Promise<void>
  /** Starts a program as `run` does; it ends with the host. */
  begin(...argv: readonly string[]): void
  /** Runs a program as the account of PostgreSQL, with this host's files. */
  run(...argv: readonly string[]): Promise<string>
  /** What Patroni says, without a credential. */
  ask(path: string): Promise<{ readonly status: number; readonly text: string }>
}

/** Where the files say that they are, and what stands in their place. */
const places = {
  patroni: '/etc/patroni',
  'pgbackrest.conf': '/etc/pgbackrest.conf',
  postgresql: '/var/lib/postgresql',
  run: '/var/run/postgresql',
  spool: '/var/spool/pgbackrest',
  log: '/var/log/pgbackrest',
}
const data_folder = 'postgresql/15/dodeca'
/** On a machine of its own it would not wait for the processors of all other tests. */
const first = ['nice', '-n', '-30']

export async function openHost(
  network: Network,
  node: number,
  folder: string,
): Promise<DatabaseHost> {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  const address = network.address('back', node)
  const entered = (line: string) => [
    ...'unshare --mount --pid --fork --kill-child=KILL --mount-proc bash -ec'.split(' '),
    `${mounts(folder)}\n${line}`,
  ]
  const asAccount = 'setpriv --reuid=postgres --regid=postgres --init-groups --reset-env'
  const inAccount = (argv: readonly string[]) => {
    const words = argv.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    // Bash stays the first process: PostgreSQL would take helpers of pgBackRest for its own.
    return entered(`cd /; ${asAccount} ${words}; exit $?`)
  }
  await arrange(folder)
  let machine: ChildProcess | undefined
  let etcd: ChildProcess | undefined
  const startEtcd = () => {
    if (isRunning(etcd)) return
    const line = `set -a; . ${folder}/etcd.env; exec etcd >>${folder}/etcd.log 2>&1`
    etcd = network.spawn(node, [...first, 'bash', '-c', line], { quiet: true })
  }
  const start = () => {
    startEtcd()
    // Started again like by its unit; Bash takes what PostgreSQL's processes leave behind.
    const line = `while :; do (exec ${asAccount} patroni /etc/patroni/config.yml >>${places.log}/patroni.log 2>&1) || sleep 1; done`
    machine = network.spawn(node, [...first, ...entered(line)], { quiet: true })
  }
  const signal = async (
    what: NodeJS.Signals,
    which: (pid: number) => Promise<boolean> = always,
  ) => {
    // Twice: what was started meanwhile.
    for (let round = 0; round < 2; round++) {
      for (const pid of await network.processes(node)) {
        if (await which(pid)) kill(pid, what)
      }
    }
  }
  return {
    name,
    node,
    address,
    folder,
    start,
    startEtcd,
    stopEtcd: () => end(etcd),
    powerOff: async () => {
      await network.cut(node, ...sides)
      await Promise.all([signal('SIGKILL'), end(machine), end(etcd)])
    },
    powerOn: async () => {
      await network.heal(node, ...sides)
      start()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    killPostmaster: () => signal('SIGKILL', isPostmaster),
    begin: (...argv) => void network.spawn(node, inAccount(argv), { quiet: true }),
    run: (...argv) => network.run(node, inAccount(argv)),
    ask: async path => await askAt(`https://${address}:8008${path}`, join(folder, 'tls/ca.crt')),
  }
}

async function isPostmaster(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.startsWith(postgresProgram('postgres'))
}

async function askAt(at: string, authority: string): ReturnType<DatabaseHost['ask']> {
  const ca = await readFile(authority)
  return await new Promise((resolve, reject) => {
    const request = get(at, { ca, agent: false, timeout: 3000 }, answer => {
      let text = ''
      answer.on('data', (part: Buffer) => (text += String(part)))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', reject)
    })
    request.on('timeout', () => request.destroy(new Error(`${at} did not answer`)))
    request.on('error', reject)
  })
}

const always = () => Promise.resolve(true)

function mounts(folder: string): string {
  const bound = Object.entries(places).map(([from, at]) => `mount --bind ${folder}/${from} ${at}`)
  // PostgreSQL that is killed leaves its shared memory behind.
  return [...bound, 'mount -t tmpfs shm /dev/shm'].join('\n')
}

/** The files of make-hosts.sh, as the page says: each where its program looks, and readable for it. */
async function arrange(folder: string): Promise<void> {
  const { uid, gid } = postgresAccount()
  for (const name of ['patroni', data_folder, 'run', 'spool', 'log', 'etcd']) {
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 })
  }
  await cp(join(folder, 'tls'), join(folder, 'patroni/tls'), { recursive: true })
  await cp(join(folder, 'first.sql'), join(folder, 'patroni/first.sql'))
  const patroni = await readFile(join(folder, 'patroni.yml'), 'utf8')
  await writeFile(join(folder, 'patroni/config.yml'), patroni)
  const etcd = await readFile(join(folder, 'etcd.env'), 'utf8')
  await writeFile(
    join(folder, 'etcd.env'),
    etcd.replaceAll('/etc/etcd/tls', `${folder}/tls`).replace('/var/lib/etcd', `${folder}/etcd`),
  )
  await appendFile(join(folder, 'pgbackrest.conf'), 'lock-path=/var/spool/pgbackrest/lock\n')
  for (const one of Object.keys(places)) await own(join(folder, one), uid, gid)
}

async function own(path: string, uid: number, gid: number): Promise<void> {
  await chown(path, uid, gid)
  const inside = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const one of inside) await own(join(path, one.name), uid, gid)
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!isRunning(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
