/**
 * What a second process and two more nodes are worth: the main operation of each surface, by one process,
 * by two processes that share a port, and by three nodes. Clients, nodes, PostgreSQL and the object store
 * share the cores of one machine, so this shows what it costs to divide the work, and not how fast three
 * machines are.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../src/kernel/database/db.ts'
import { StartError } from '#dodeca/kernel'
import { openai } from '../src/sandbox/openai/openai.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { stripe } from '../src/sandbox/stripe/stripe.ts'
import { openReceiver, type Receiver } from '../src/surfaces/webhooks/test/receiver.ts'
import type { Insist, Operation } from '../test/nodes/operation.ts'
import { prepareOperations } from '../test/nodes/operations.ts'
import { without_limits } from '../test/nodes/world.ts'
import { peopleOf } from '../test/product-world.ts'
import { startSwift, swiftIsInstalled } from '../test/swift.ts'
import { call, newKey } from '../test/world.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { untilIdle } from './ground/machine.ts'
import { productionEnvironment } from './ground/platform.ts'
import { startProgram, type Program } from './ground/program.ts'
import { figure, type Section } from './ground/report.ts'

const clients = 8
const public_url = 'http://nodes.test'
const host = '127.0.0.1'

type Layout = { readonly name: string; readonly nodes: number; readonly processes: number }
const layouts: readonly Layout[] = [
  { name: 'one process', nodes: 1, processes: 1 },
  { name: 'two processes', nodes: 1, processes: 2 },
  { name: 'three nodes', nodes: 3, processes: 1 },
]
/** By surface, then in the order of the layouts. */
type Rates = Map<string, number[]>

await comparison('nodes', async bench => {
  if (!swiftIsInstalled) {
    throw new StartError('Nodes share an object store: this comparison requires Swift.')
  }
  const home = await mkdtemp(join(tmpdir(), 'dodeca-bench-nodes-'))
  const sandbox = await openSandbox(home, [stripe, openai])
  const swift = await startSwift()
  const receiver = await openReceiver()
  try {
    const database_url = await bench.database.create('nodes')
    const environment = {
      ...productionEnvironment(database_url),
      ...(await swift.bucket('nodes')),
      ...environmentOf(sandbox.addresses),
    }
    return [sectionOf(await measure(bench, { environment, home, sandbox, receiver, database_url }))]
  } finally {
    await receiver.close()
    await swift.close()
    await sandbox.close()
    await rm(home, { recursive: true, force: true })
  }
})

type Addresses = Readonly<Record<string, Readonly<Record<string, string>>>>
type Parts = {
  readonly environment: Record<string, string>
  readonly home: string
  readonly sandbox: { readonly addresses: Addresses }
  readonly receiver: Receiver
  readonly database_url: string
}

async function measure({ options }: Bench, parts: Parts): Promise<Rates> {
  const rates: Rates = new Map()
  // Several of them: --only=jobs,links
  const only = options.only?.split(',')
  let operations: Operation[] | undefined
  for (const layout of layouts) {
    const programs = await startLayout(layout, parts)
    try {
      const urls = programs.map(({ port }) => `http://${host}:${port}`)
      operations ??= await prepare(urls[0] ?? '', parts, only)
      // What the last layout left behind, such as webhooks, is work too.
      await untilIdle()
      for (const operation of operations) {
        const rate = await rateOf(operation, urls, options)
        process.stdout.write(`${layout.name}, ${operation.surface}: ${figure(rate)}\n`)
        rates.set(operation.surface, [...(rates.get(operation.surface) ?? []), rate])
      }
    } finally {
      for (const program of programs) await program.stop()
    }
  }
  return rates
}

async function startLayout(
  { nodes, processes }: Layout,
  { environment, home }: Parts,
): Promise<Program[]> {
  const programs: Program[] = []
  for (let node = 0; node < nodes; node++) {
    programs.push(
      await startProgram({
        ...environment,
        DATA_DIR: join(home, `node-${node}`),
        PROCESSES: String(processes),
        // Each does the background work too, as a node with one process does.
        WORKER_PROCESSES: '0',
      }),
    )
  }
  return programs
}

function environmentOf({ stripe: payments = {}, openai: models = {} }: Addresses) {
  return {
    // Only there is a type of job to submit.
    PROFILE: 'development',
    KERNEL_SANDBOX: 'false',
    PUBLIC_URL: public_url,
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
    IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    IDENTITY_EMAIL_SCOPE: 'tenant',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    ...without_limits,
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    LINKS_SHORT_HOSTS: host,
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOWED_PORTS: '1-65535',
    WEBHOOKS_ALLOWED_PRIVATE_CIDRS: `${host}/32`,
    PAYMENTS_STRIPE_SECRET_KEY: payments['key'] ?? '',
    PAYMENTS_STRIPE_BASE_URL: payments['api'] ?? '',
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: payments['webhook_secret'] ?? '',
    INFERENCE_PROVIDER: 'openai',
    INFERENCE_BASE_URL: models['api'] ?? '',
    INFERENCE_API_KEY: models['key'] ?? '',
    INFERENCE_MODEL: 'sandbox-large',
  }
}

async function prepare(
  url: string,
  { database_url, sandbox, receiver }: Parts,
  only: readonly string[] | undefined,
) {
  const db = openDb({
    url: database_url,
    pool: 2,
    wait_ms: 20_000,
    check_rows: false,
    application_name: 'bench',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
  const control = async (path: string, body: object = {}, method = 'POST') => {
    const answer = await fetch(new URL(path, sandbox.addresses['stripe']?.['control']), {
      method,
      ...(method === 'POST'
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    return JSON.parse(await answer.text()) as unknown
  }
  try {
    const people = peopleOf((...asked) => call(url, ...asked), db)
    return await prepareOperations({ ...people, control, receiver, receiver_host: host }, only)
  } finally {
    await db.close()
  }
}

/**
 * Operations a second by clients who each use one of the nodes. It counts from when each of them has had
 * an operation: at the first one, a node starts the processes that open documents and index tables.
 */
async function rateOf(
  operation: Operation,
  urls: readonly string[],
  { seconds, warm_seconds }: Bench['options'],
): Promise<number> {
  let made = 0
  let stopped = false
  const first = Array.from({ length: clients }, () => Promise.withResolvers<null>())
  const work = first.map(async ({ resolve }, client) => {
    const insist = insistingAt(urls[client % urls.length] ?? '')
    while (!stopped) {
      await operation.make(insist)
      made++
      resolve(null)
    }
  })
  const failed = Promise.all(work)
  const warm = Promise.all([pause(warm_seconds), ...first.map(one => one.promise)])
  await Promise.race([warm, failed])
  const [before, began] = [made, performance.now()]
  await Promise.race([pause(seconds), failed])
  const rate = ((made - before) * 1000) / (performance.now() - began)
  stopped = true
  await failed
  return rate
}

function insistingAt(url: string): Insist {
  return async ({ token }, method, at, body) => {
    const address = at.startsWith('/') ? url + at : at.replace(public_url, url)
    const answer = await call(address, method, '', {
      ...(token ? { token } : {}),
      body,
      ...(method === 'POST' ? { key: newKey() } : {}),
    })
    if (answer.status < 400) return { ...answer, attempts: 1 }
    throw new Error(`${method} ${at}: ${answer.status} ${answer.text}`)
  }
}

function sectionOf(rates: Rates): Section {
  const names = layouts.map(({ name }) => name)
  const [first = '', ...others] = names
  return {
    title: 'Several processes, several nodes',
    columns: ['operations per second', ...names, ...others.map(name => `${name} / ${first}`)],
    rows: [...rates].map(([surface, [one = 0, ...more]]) => [
      surface,
      ...[one, ...more].map(figure),
      ...more.map(rate => (one > 0 ? figure(rate / one) : '–')),
    ]),
    verdicts: [],
    notes: [
      `${clients} clients, without pauses. One round each: the figures show a proportion, not a limit.`,
    ],
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, seconds * 1000))
}
