/**
 * Debian's Swift with its S3 interface, for tests of the S3 engine: its servers in one process on free ports,
 * one replica in a temporary folder. It checks signatures itself, which makes it an oracle for
 * ours. `swiftIsInstalled` is false where the packages are absent.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { freePort } from './free-port.ts'
import { endsWithFile } from './children.ts'

const programs = ['proxy', 'account', 'container', 'object'] as const
type Program = (typeof programs)[number]

export const swiftIsInstalled =
  programs.every(name => existsSync(`/usr/bin/swift-${name}-server`)) &&
  existsSync('/etc/swift/swift.conf')

export type Swift = {
  readonly endpoint: string
  readonly access_key: string
  readonly secret_key: string
  /** Makes a bucket; answers what the platform is configured with to use it. */
  bucket(name: string, options?: { readonly versions: boolean }): Promise<Record<string, string>>
  /** Kills its servers, and starts them again with the same address and objects. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** By default on loopback; or elsewhere, by a program that enters another network namespace. */
export type SwiftPlace = { readonly address: string; readonly enter: readonly string[] }
const on_loopback: SwiftPlace = { address: '127.0.0.1', enter: [] }

export async function startSwift({ address, enter }: SwiftPlace = on_loopback): Promise<Swift> {
  const home = await mkdtemp(join(tmpdir(), 'dodeca-swift-'))
  const ports = Object.fromEntries(
    await Promise.all(programs.map(async name => [name, await freePort()] as const)),
  ) as Record<Program, number>
  await mkdir(join(home, 'devices/d1'), { recursive: true })
  await Promise.all(
    programs.map(name => writeFile(join(home, `${name}-server.conf`), confOf(name, home, ports))),
  )
  const errors: string[] = []
  const spawnServer = () => {
    const [program = '', ...argv] = [...enter, ...serversIn(home, address, ports)]
    const child = endsWithFile(spawn(program, argv, { stdio: ['ignore', 'ignore', 'pipe'] }))
    child.stderr.on('data', (text: Buffer) => errors.push(String(text)))
    return child
  }
  let server = spawnServer()
  const stop = async () => {
    server.kill('SIGKILL')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  }
  const endpoint = `http://${address}:${ports.proxy}`
  const keys = { access_key: 'test:tester', secret_key: 'testing' }
  const client = new AwsClient({
    accessKeyId: keys.access_key,
    secretAccessKey: keys.secret_key,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  })
  const makeBucket = async (name: string) => {
    const { status } = await client.fetch(`${endpoint}/${name}`, { method: 'PUT' })
    // 409: it is there already.
    return status === 200 || status === 409
  }
  const started = async () => {
    await ready(() => server.exitCode !== null || makeBucket('probe'))
    if (server.exitCode !== null) throw new Error(`Swift did not start:\n${errors.join('')}`)
  }
  await started()
  return {
    endpoint,
    ...keys,
    bucket: async (name, options) => {
      if (!(await makeBucket(name))) throw new Error(`Swift made no bucket ${name}`)
      if (options?.versions) {
        const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
        const answer = await client.fetch(`${endpoint}/${name}?versioning`, { method: 'PUT', body })
        if (!answer.ok) throw new Error(`Swift keeps no versions: ${await answer.text()}`)
      }
      return {
        KERNEL_OBJECTS_ENGINE: 's3',
        KERNEL_OBJECTS_S3_ENDPOINT: endpoint,
        KERNEL_OBJECTS_S3_BUCKET: name,
        KERNEL_OBJECTS_S3_REGION: 'us-east-1',
        KERNEL_OBJECTS_S3_ACCESS_KEY: keys.access_key,
        KERNEL_OBJECTS_S3_SECRET_KEY: keys.secret_key,
      }
    },
    stop,
    start: async () => {
      server = spawnServer()
      await started()
    },
    close: async () => {
      await stop()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** With the interpreter of the packages, whatever else is called python3 here. */
function serversIn(home: string, address: string, ports: Readonly<Record<Program, number>>) {
  return [
    '/usr/bin/python3',
    join(import.meta.dirname, 'swift-servers.py'),
    home,
    address === '127.0.0.1' ? address : '0.0.0.0',
    ...programs.map(name => String(ports[name])),
  ]
}

/**
 * Swift gives its own servers half a second to accept, one second to enter an object into a listing, and
 * shuns one that was late eleven times for a minute. They are one process here, without the daemon that
 * completes listings later, so on a busy machine parts were missing from lists for ever.
 */
const patience = `conn_timeout = 60
node_timeout = 60
container_update_timeout = 60
error_suppression_interval = 0
error_suppression_limit = 1000000000`

function confOf(name: Program, home: string, ports: Readonly<Record<Program, number>>): string {
  const common = `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports[name]}
swift_dir = ${home}
user = ${userInfo().username}
workers = 0
log_level = ERROR
log_address = ${home}/nolog
`
  if (name !== 'proxy') {
    return `${common}devices = ${home}/devices
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
${patience}
`
  }
  return `${common}[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
${patience}
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
check_bucket_owner = false
min_segment_size = 1
max_upload_part_num = 10000
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
[filter:dlo]
use = egg:swift#dlo
[filter:symlink]
use = egg:swift#symlink
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
[filter:copy]
use = egg:swift#copy
`
}

async function ready(look: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await Promise.resolve(look()).catch(() => false))) {
    if (performance.now() > deadline) throw new Error('Swift did not start in time')
    await wait(50)
  }
}
