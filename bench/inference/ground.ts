/**
 * The program as it is started, once with and once without waiting for the disk, a bare pass-through, and
 * Portkey's gateway where it is installed: each in one process on the same core, before one simulated
 * provider on the other core.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newId } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { ask, openDatabase } from '../ground/database.ts'
import { ended, startOn } from '../ground/machine.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram, type Program } from '../ground/program.ts'
import { chat, type Gateway } from './gateway.ts'

export type Ground = {
  readonly database_url: string
  /** The provider itself. */
  readonly direct: Gateway
  readonly passing: Gateway
  readonly ours: Gateway
  /** With an API key of each caller instead of an access token. */
  readonly keyed: Gateway
  /** Our product without waiting for the disk, to measure the cost of durable accounting. */
  readonly undurable: Gateway
  /** Null where DODECA_PEERS names no folder with it. */
  readonly portkey: Gateway | null
  control(path: string, body?: object, method?: string): Promise<void>
  close(): Promise<void>
}

type Closing = (() => Promise<unknown>)[]
type Provider = Readonly<Record<'api' | 'key' | 'control', string>>

const tenants = 64
const plenty = '1000000000'
/**
 * The silence of the provider after which our product gives up, and for which the fault table
 * waits.
 */
export const idle_ms = 2000

export async function openGround({ database, options }: Bench): Promise<Ground> {
  const closing: Closing = []
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-inference-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const provider = await startProvider(folder, closing)
  const database_url = await database.create('inference')
  const ours = await startOurs('Dodeca', { database_url, folder, provider, closing, options })
  const undurable_database = await openDatabase({ fsync: 'off', synchronous_commit: 'off' })
  closing.push(() => undurable_database.close())
  const undurable = await startOurs('Dodeca without waiting for the disk', {
    database_url: await undurable_database.create('inference'),
    folder: join(folder, 'undurable'),
    provider,
    closing,
    options,
  })
  const direct = {
    ...chat,
    name: 'the provider itself',
    pid: undefined,
    origin: new URL(provider.api).origin,
    headers: [{ 'content-type': 'application/json', authorization: `Bearer ${provider.key}` }],
  }
  return {
    database_url,
    direct,
    ours,
    keyed: { ...ours, name: 'Dodeca, API keys', headers: await keysOf(ours) },
    undurable,
    passing: await startPassing(provider, closing),
    portkey: await startPortkey(provider, closing),
    control: async (path, body = {}, method = 'POST') => {
      const answer = await fetch(new URL(path, provider.control), {
        method,
        ...(method === 'POST'
          ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
          : {}),
      })
      if (!answer.ok) throw new Error(await answer.text())
    },
    close: async () => {
      for (const close of closing.toReversed()) await close()
    },
  }
}

async function startProvider(folder: string, closing: Closing): Promise<Provider> {
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url))
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const args = [main, folder]
  const child = startOn({ side: 'client', program: process.execPath, args, stdio: [...stdio] })
  closing.push(() => stop(child))
  if (child.stdout) await once(child.stdout, 'data')
  const text = await readFile(join(folder, 'sandbox', 'addresses.json'), 'utf8')
  return (JSON.parse(text) as { openai: Provider }).openai
}

type Starting = {
  readonly database_url: string
  readonly folder: string
  readonly provider: Provider
  readonly closing: Closing
  readonly options: Bench['options']
}

async function startOurs(
  name: string,
  { database_url, folder, provider, closing, options }: Starting,
): Promise<Gateway> {
  const program = await startProgram(
    {
      ...productionEnvironment(database_url),
      ROLES: 'api',
      DATA_DIR: folder,
      PUBLIC_URL: 'http://dodeca.test',
      KERNEL_SANDBOX: 'false',
      KERNEL_OVERLOAD_DELAY_MS: '60000',
      IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
      IDENTITY_HASH_QUEUE: '1000',
      IDENTITY_HASH_WAIT_MS: '30000',
      INFERENCE_PROVIDER: 'openai',
      INFERENCE_BASE_URL: provider.api,
      INFERENCE_API_KEY: provider.key,
      INFERENCE_MODEL: 'sandbox-large',
      INFERENCE_DEPLOYMENT_CONCURRENCY: '1000',
      INFERENCE_STREAM_IDLE_MS: String(idle_ms),
      // The faults of one case must not stop the next.
      INFERENCE_BREAKER_OPEN_MS: '10',
      ...plentyOfQuota(),
    },
    { side: 'server', profile: options.profile },
  )
  closing.push(() => program.stop())
  return {
    name,
    pid: program.pid,
    origin: `http://127.0.0.1:${program.port}`,
    path: '/v1/inferences',
    headers: await callersOf(program, database_url),
    first: 'event: delta',
    body: ({ prompt, tokens, stream }) =>
      JSON.stringify({
        model: 'default',
        input: prompt,
        stream,
        parameters: { max_output_tokens: tokens, store: false },
      }),
  }
}

export function plentyOfQuota(): Record<string, string> {
  const metrics = ['REQUESTS_PER_MINUTE', 'TOKENS_PER_MINUTE', 'TOKENS_PER_DAY', 'COST_PER_DAY']
  return Object.fromEntries(
    ['TENANT', 'PRINCIPAL'].flatMap(scope =>
      [...metrics, 'OPERATIONS', 'STREAMS'].map(metric => [
        `INFERENCE_QUOTA_${scope}_${metric}`,
        plenty,
      ]),
    ),
  )
}

/** One caller in each of many tenants: the counters of a tenant are one row. */
async function callersOf({ port }: Program, database_url: string) {
  const headers: Record<string, string>[] = []
  for (let n = 0; n < tenants; n++) {
    const tenant = `b-${newId()}`
    await ask(
      database_url,
      `insert into identity.tenants (id, slug, name, signup) values ($1, $2, 'Bench', 'open')`,
      [newId(), tenant],
    )
    const email = `${newId()}@example.test`
    const who = { email, password: 'correct horse battery staple', tenant }
    const post = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(who),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${text}`)
      return JSON.parse(text) as { access_token: string }
    }
    await post('/v1/accounts')
    const { access_token } = await post('/v1/sessions')
    headers.push({
      'content-type': 'application/json',
      authorization: `Bearer ${access_token}`,
    })
  }
  return headers
}

async function keysOf({ origin, headers }: Gateway) {
  const permissions = ['inference.operations.create']
  const body = JSON.stringify({ name: 'bench', permissions })
  const keyed: Record<string, string>[] = []
  for (const own of headers) {
    const more = { ...own, 'idempotency-key': newId() }
    const answer = await fetch(`${origin}/v1/api-keys`, { method: 'POST', headers: more, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`/v1/api-keys: ${text}`)
    const made = JSON.parse(text) as { key: string }
    keyed.push({ ...own, authorization: `Bearer ${made.key}` })
  }
  return keyed
}

async function startPassing(provider: Provider, closing: Closing): Promise<Gateway> {
  const file = fileURLToPath(new URL('./pass-process.ts', import.meta.url))
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [file],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  closing.push(() => stop(child))
  child.send({ origin: new URL(provider.api).origin })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    ...chat,
    name: 'a bare pass-through',
    pid: child.pid,
    origin: `http://127.0.0.1:${port}`,
    headers: [{ 'content-type': 'application/json', authorization: `Bearer ${provider.key}` }],
  }
}

/**
 * `npm install --ignore-scripts @portkey-ai/gateway@1.15.2` in a folder portkey of DODECA_PEERS, whose
 * package.json says `{"overrides": {"@hono/node-server": "1.13.7", "hono": "4.9.7"}}`: with newer ones it
 * answers every stream with 500.
 */
async function startPortkey(provider: Provider, closing: Closing): Promise<Gateway | null> {
  const folder = join(process.env['DODECA_PEERS'] ?? '', 'portkey', 'node_modules')
  const file = join(folder, '@portkey-ai', 'gateway', 'build', 'start-server.js')
  if (!process.env['DODECA_PEERS'] || !existsSync(file)) return null
  const port = await freePort()
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [file, `--port=${port}`, '--headless'],
    env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
  })
  child.stdout?.resume()
  child.stderr?.resume()
  closing.push(() => stop(child))
  const origin = `http://127.0.0.1:${port}`
  while (!(await isUp(origin))) {
    if (child.exitCode !== null) throw new Error('Portkey has ended')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return {
    ...chat,
    name: 'Portkey 1.15.2',
    pid: child.pid,
    origin,
    headers: [
      {
        'content-type': 'application/json',
        authorization: `Bearer ${provider.key}`,
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': provider.api,
      },
    ],
  }
}

async function stop(child: ReturnType<typeof startOn>): Promise<void> {
  child.kill('SIGTERM')
  await ended(child)
}

async function isUp(origin: string): Promise<boolean> {
  try {
    await (await fetch(origin)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
