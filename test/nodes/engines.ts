/** What all nodes share beside the database, in the hub: NATS, Swift, the providers and the proxy. */
import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { postgresIsInstalled } from '../postgres-15.ts'
import { inherited } from '../process.ts'
import { startSwift, swiftIsInstalled } from '../swift.ts'
import { eventually } from '../world.ts'
import { networksArePossible, type Network } from './network.ts'
import { databaseIsInstalled, type Archive } from './database.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const nats_server = '/usr/sbin/nats-server'
const nginx = '/usr/sbin/nginx'

/** Debian's packages; `.ci/run` installs them. */
export const enginesAreInstalled =
  networksArePossible &&
  swiftIsInstalled &&
  postgresIsInstalled &&
  databaseIsInstalled &&
  [nats_server, nginx].every(file => existsSync(file))

export const node_port = 8080
const proxy_port = 8000
const nats_port = 4222
const nats_count = 3
const archive_port = 8443
const payments_port = 12_111
const models_port = 12_112

export type Services = {
  /** The proxy: what users call. */
  readonly url: string
  /** What nodes are configured with to use them. */
  readonly environment: Readonly<Record<string, string>>
  /** Asks or tells the payment provider's control plane. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
  control(path: string, body?: object, method?: string): Promise<any>
  /** All servers of NATS, and each of them. */
  readonly nats: Engine
  readonly nats_members: readonly Engine[]
  readonly swift: Engine
  /** Where the database's hosts keep backups: Swift, behind TLS, because pgBackRest speaks nothing else. */
  readonly archive: Archive
  close(): Promise<void>
}

/** What can be killed and started again, with the same address and data. */
export type Engine = { stop(): Promise<void>; start(): Promise<void> }

export async function openServices(network: Network, nodes: number): Promise<Services> {
  const home = await mkdtemp(join(tmpdir(), 'dodeca-nodes-services-'))
  const back = network.address('back')
  const front = network.address('front')
  const started: ChildProcess[] = []
  const start = (argv: readonly string[], env?: Record<string, string>) => {
    const child = network.spawn('hub', argv, { quiet: true, ...(env ? { env } : {}) })
    started.push(child)
    return child
  }
  const nats_members = Array.from({ length: nats_count }, (_, at) =>
    natsFor(() => start([nats_server, ...natsArguments(home, at)])),
  )
  const ofAll = (act: (one: Engine) => Promise<void>) => async () => {
    for (const one of nats_members) await act(one)
  }
  const nats = { start: ofAll(one => one.start()), stop: ofAll(one => one.stop()) }
  await nats.start()
  start([process.execPath, join(root, 'src/sandbox/main.ts'), home], inherited)
  const swift = await startSwift({ address: back, enter: network.into_hub })
  const bucket = await swift.bucket('nodes')
  await swift.bucket('database')
  const archive = await archiveAt(back, home)
  const { stripe = {}, openai = {} } = await eventually('the providers are open', () =>
    addressesIn(home),
  )
  const providers = { [payments_port]: stripe['api'] ?? '', [models_port]: openai['api'] ?? '' }
  const configuration = await proxyConfiguration(network, home, nodes, providers, [
    archiveServer(home, swift.endpoint),
  ])
  await writeFile(join(home, 'nginx.conf'), configuration)
  start([nginx, '-e', join(home, 'error.log'), '-c', join(home, 'nginx.conf')])

  const url = `http://${front}:${proxy_port}`
  const control: Services['control'] = async (path, body = {}, method = 'POST') => {
    const { pathname } = new URL(stripe['control'] ?? '')
    const answer = await fetch(new URL(path, `http://${front}:${payments_port}${pathname}`), {
      method,
      ...(method === 'POST'
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    return JSON.parse(await answer.text()) as unknown
  }
  await eventually('the proxy passes requests on to the provider', () =>
    control('effects', {}, 'GET').then(Boolean, () => false),
  )
  await control('config', { webhook_url: `${url}/v1/providers/stripe/webhooks` })
  return {
    url,
    control,
    swift,
    archive,
    nats,
    nats_members,
    environment: environmentOf(network, nodes, bucket, { stripe, openai }),
    close: async () => {
      await swift.close()
      for (const one of started) one.kill('SIGKILL')
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function environmentOf(
  network: Network,
  nodes: number,
  bucket: Record<string, string>,
  { stripe = {}, openai = {} }: Addresses,
): Record<string, string> {
  const [front, back] = [network.address('front'), network.address('back')]
  return {
    ...bucket,
    KERNEL_EVENT_SINK: 'nats',
    KERNEL_BUS: 'nats',
    KERNEL_NATS_URL: natsPorts()
      .map(port => `nats://${back}:${port}`)
      .join(','),
    KERNEL_NATS_REPLICAS: String(nats_count),
    PUBLIC_URL: `http://nodes.test:${proxy_port}`,
    LINKS_SHORT_HOSTS: [
      front,
      ...Array.from({ length: nodes }, (_, node) => network.address('front', node)),
    ].join(','),
    KERNEL_TRUSTED_PROXIES: front,
    PAYMENTS_STRIPE_SECRET_KEY: stripe['key'] ?? '',
    PAYMENTS_STRIPE_BASE_URL: `http://${back}:${payments_port}`,
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: stripe['webhook_secret'] ?? '',
    INFERENCE_PROVIDER: 'openai',
    INFERENCE_BASE_URL: `http://${back}:${models_port}${new URL(openai['api'] ?? '').pathname}`,
    INFERENCE_API_KEY: openai['key'] ?? '',
    INFERENCE_MODEL: 'sandbox-large',
  }
}

const natsPorts = () => Array.from({ length: nats_count }, (_, at) => nats_port + at)

function natsArguments(home: string, at: number): string[] {
  const route = (port: number) => `nats://127.0.0.1:${port + 2000}`
  const own = nats_port + at
  const cluster = ['--cluster_name', 'nodes', '--cluster', route(own)]
  const routes = ['--routes', natsPorts().map(route).join(',')]
  const store = ['-js', '-sd', join(home, `nats-${at}`), '-n', `nats-${at}`]
  return ['-a', '0.0.0.0', '-p', String(own), ...store, ...cluster, ...routes]
}

function natsFor(spawn: () => ChildProcess): Engine {
  let server: ChildProcess | undefined
  return {
    start: () => {
      server = spawn()
      return Promise.resolve()
    },
    stop: async () => {
      if (!server) return
      const gone = once(server, 'exit')
      server.kill('SIGKILL')
      await gone
    },
  }
}

type Addresses = Readonly<Record<string, Readonly<Record<string, string>>>>

async function addressesIn(home: string): Promise<Addresses | false> {
  const text = await readFile(join(home, 'sandbox', 'addresses.json'), 'utf8').catch(() => null)
  return text !== null && (JSON.parse(text) as Addresses)
}

async function archiveAt(address: string, home: string): Promise<Archive> {
  const ca = join(home, 'archive.crt')
  const pair = ['-newkey', 'rsa:2048', '-nodes', '-keyout', join(home, 'archive.key'), '-out', ca]
  // pgBackRest compares names only, so the address is written as one.
  const names = ['-subj', `/CN=${address}`, '-addext', `subjectAltName=DNS:${address}`]
  await run('openssl', ['req', '-x509', '-days', '2', ...pair, ...names])
  for (const [path, mode] of [
    [home, 0o711],
    [ca, 0o644],
  ] as const)
    await chmod(path, mode)
  return { endpoint: `${address}:${archive_port}`, bucket: 'database', ca }
}

const archiveServer = (home: string, endpoint: string) =>
  `server { listen ${archive_port} ssl; client_max_body_size 0;
    ssl_certificate ${home}/archive.crt; ssl_certificate_key ${home}/archive.key;
    location / { proxy_pass ${endpoint}; proxy_set_header Host $http_host; } }`

/** The example of deploy/, without TLS and with these nodes. */
async function proxyConfiguration(
  network: Network,
  home: string,
  nodes: number,
  /** Their addresses on loopback, by the port at which nodes find them. */
  providers: Readonly<Record<number, string>>,
  servers: readonly string[],
): Promise<string> {
  const example = await readFile(join(root, 'deploy/nginx/dodeca.conf'), 'utf8')
  const [node_line = ''] = /^ +server 127\.0\.0\.1:8080.*$/m.exec(example) ?? []
  const node_lines = Array.from({ length: nodes }, (_, node) =>
    node_line.replace('127.0.0.1:8080', `${network.address('front', node)}:${node_port}`),
  )
  const server = example
    .replace(node_line, node_lines.join('\n'))
    .replace('listen 443 ssl http2;', `listen ${proxy_port};`)
    .replaceAll(/^ +ssl_certificate.*$/gm, '')
  const others = Object.entries(providers).map(
    ([port, address]) =>
      `server { listen ${port}; location / { proxy_pass ${new URL(address).origin}; } }`,
  )
  // One process, so none is left when it is killed.
  return `pid ${home}/nginx.pid; user root; daemon off; master_process off;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporaryFolders(home)}
  ${server}
  ${[...others, ...servers].join('\n  ')}
}
`
}

const temporaryFolders = (home: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${home}/${name};`)
    .join(' ')
