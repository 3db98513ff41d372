/**
 * Three nodes of the product, as on three machines: each in its own network namespace with its own data
 * folder, and all of them with one database of three hosts, Swift, NATS and a proxy.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '#dodeca/kernel'
import { openDb } from '../../src/kernel/database/db.ts'
import { inherited } from '../process.ts'
import { peopleOf, type People } from '../product-world.ts'
import { call, eventually } from '../world.ts'
import { database_names, openDatabase, type Database } from './database.ts'
import { openNetwork, type Network } from './network.ts'
import { node_port, openServices, type Services } from './engines.ts'

/** Settings with which no limit is reached here. */
export const without_limits = {
  KERNEL_RATE_FACTOR: '1000000',
  IDENTITY_API_KEYS_PER_ACCOUNT: '10000',
  WEBHOOKS_MAX_SUBSCRIPTIONS: '20000',
  SOCIAL_POSTS_PER_5_MINUTES: '1000000',
  SOCIAL_POSTS_PER_DAY: '1000000',
  CHAT_SENDS_PER_10_SECONDS: '1000000',
  CHAT_SENDS_PER_MINUTE: '1000000',
  LINKS_CREATES_PER_MINUTE: '1000000',
  LINKS_CREATES_PER_DAY: '1000000',
  COMMERCE_PENDING_ORDERS: '10000',
  PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
  PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
  INFERENCE_QUOTA_TENANT_REQUESTS_PER_MINUTE: '1000000',
  INFERENCE_QUOTA_TENANT_TOKENS_PER_MINUTE: '1000000000',
  INFERENCE_QUOTA_PRINCIPAL_REQUESTS_PER_MINUTE: '1000000',
  INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_MINUTE: '1000000000',
} as const

export type Node = {
  readonly number: number
  /** Past the proxy. */
  readonly url: string
  readonly data_dir: string
  output(): string
  /** Every thread stands still; its sockets stay open. */
  freeze(): void
  thaw(): void
  kill(): Promise<void>
  /** Starts it, again with the same data folder, and waits until it is ready. */
  start(): Promise<void>
  ready(): Promise<boolean>
}

export type NodesWorld = People & {
  /** The proxy. */
  readonly url: string
  readonly nodes: readonly [Node, Node, Node]
  readonly network: Network
  readonly database: Database
  readonly services: Services
  /** Of the test; it is there whenever the primary is. */
  readonly db: Db
  /** The command on the first node; returns what it prints with `--json`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
  dodeca(args: readonly string[], env?: Record<string, string>): Promise<any>
  /** What `dodeca doctor` on the first node finds violated. */
  doctor(): Promise<string[]>
  close(): Promise<void>
}

const count = 3

/** Shorter than the defaults, so that a test outlasts them in seconds. */
const short_leases = {
  JOBS_LEASE_SECONDS: '5',
  WEBHOOKS_LEASE_SECONDS: '5',
  WEBHOOKS_TIMEOUTS: 'dns:500,connect:500,tls:500,write:1000,first_byte:2000,body:1000,total:3000',
  INFERENCE_LEASE_SECONDS: '5',
  NOTIFICATIONS_LEASE_SECONDS: '10',
  UPLOADS_COMPLETION_LEASE_SECONDS: '10',
  UPLOADS_PROCESSING_LEASE_SECONDS: '10',
}

function environmentOf(
  network: Network,
  services: Services,
  settings: Record<string, string>,
): Record<string, string> {
  return {
    ...inherited,
    ...services.environment,
    ...short_leases,
    KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
    KERNEL_PEPPER: randomBytes(32).toString('base64'),
    KERNEL_SANDBOX: 'false',
    ...without_limits,
    // The machine runs three nodes and more, and is late without being overloaded.
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    PORT: String(node_port),
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'error',
    IDENTITY_HASH_MAX_MS: '1',
    IDENTITY_HASH_WAIT_MS: '30000',
    IDENTITY_EMAIL_SCOPE: 'tenant',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    WEBHOOKS_ALLOWED_PORTS: '1-65535',
    WEBHOOKS_ALLOWED_PRIVATE_CIDRS: `${network.tester}/32`,
    ...settings,
  }
}

export async function openNodes(settings: Record<string, string> = {}): Promise<NodesWorld> {
  const network = await openNetwork(count + database_names.length)
  const closing: (() => Promise<unknown>)[] = [() => network.close()]
  const close = async () => {
    for (const one of closing.toReversed()) await one()
  }
  try {
    const services = await openServices(network, count)
    closing.push(() => services.close())
    const database = await openDatabase(network, count, services.archive)
    closing.push(() => database.close())
    const environment = environmentOf(network, services, settings)
    const start = async (number: number): Promise<Node> => {
      const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-node-'))
      const node = nodeOf(network, number, {
        ...environment,
        ...database.environmentOf(number),
        DATA_DIR: data_dir,
      })
      closing.push(async () => {
        await node.kill()
        await rm(data_dir, { recursive: true, force: true, maxRetries: 3 })
      })
      await node.start()
      return node
    }
    // The first one migrates.
    const first = await start(0)
    const [second, third] = await Promise.all([start(1), start(2)])
    const db = openTestDb(database.test_url)
    closing.push(() => db.close())
    const dodeca = commandsOn(network, {
      ...environment,
      ...database.environmentOf(0),
      DATA_DIR: first.data_dir,
    })
    const people = peopleOf((...asked) => call(services.url, ...asked), db)
    return {
      ...people,
      url: services.url,
      nodes: [first, second, third],
      network,
      database,
      services,
      db,
      dodeca,
      doctor: () => violationsIn(dodeca),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A path of the platform, or an address that it gave: no resolver knows its name, its proxy has an address. */
export function reachable(world: Pick<NodesWorld, 'url'>, at: string): string {
  if (at.startsWith('/')) return world.url + at
  return at.replace(/^http:\/\/nodes\.test:\d+/, world.url)
}

/** But for durability: the database of the test does not wait for its disk. */
async function violationsIn(dodeca: NodesWorld['dodeca']): Promise<string[]> {
  const { checks } = await dodeca(['doctor'])
  return (checks as { check: string; state: string }[])
    .filter(({ check, state }) => state === 'violation' && check !== 'durability')
    .map(one => JSON.stringify(one))
}

function commandsOn(network: Network, env: Record<string, string>): NodesWorld['dodeca'] {
  const command = join(import.meta.dirname, '../../bin/dodeca.mjs')
  return async (args, more = {}) => {
    const argv = [process.execPath, command, ...args, '--json']
    const child = network.spawn(0, argv, { env: { ...env, ...more } })
    let [output, errors] = ['', '']
    child.stdout?.on('data', (part: Buffer) => (output += String(part)))
    child.stderr?.on('data', (part: Buffer) => (errors += String(part)))
    await once(child, 'close')
    if (output === '') throw new Error(`dodeca ${args.join(' ')}: ${errors}`)
    return JSON.parse(output) as unknown
  }
}

function nodeOf(
  network: Network,
  number: number,
  env: Record<string, string> & { DATA_DIR: string },
): Node {
  const entry = join(import.meta.dirname, '../product-child.ts')
  const url = `http://${network.address('front', number)}:${node_port}`
  let child: ChildProcess | undefined
  let output = ''
  const keep = (part: Buffer) => void (output += String(part))
  const ended = () => !child || child.exitCode !== null || child.signalCode !== null
  const ready = () =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) }).then(
      answer => answer.ok,
      () => false,
    )
  const readyOrEnded = () => {
    if (ended()) throw new Error(output)
    return ready()
  }
  return {
    number,
    url,
    data_dir: env.DATA_DIR,
    output: () => output,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill: async () => {
      if (!child || ended()) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    start: async () => {
      child = network.spawn(number, [process.execPath, entry], { env: { ...env, HOST: '0.0.0.0' } })
      child.stdout?.on('data', keep)
      child.stderr?.on('data', keep)
      await eventually(`node ${number} is ready`, readyOrEnded)
    },
    ready,
  }
}

function openTestDb(url: string): Db {
  return openDb({
    url,
    pool: 4,
    wait_ms: 20_000,
    check_rows: true,
    application_name: 'test',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
}
