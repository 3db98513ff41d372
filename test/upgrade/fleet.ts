/** Processes of several releases on one database and one data folder, and the load that they serve. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyDatabase } from '../../src/kernel/database/test/empty-database.ts'
import { inherited } from '../process.ts'
import { call, eventually, newKey, type Clone } from '../world.ts'
import { Load, type Scene, type Target } from './load.ts'
import type { Release } from './release.ts'
import { endsWithFile } from '../children.ts'

const password = 'correct horse battery staple'
const email = 'admin@example.com'

export type Fleet = {
  readonly database: Clone
  /** Starts a process and adds it to those that get requests. */
  start(release: Release): Promise<Target>
  /** Ends a process as a deployment does. The load learns of it from refused connections. */
  stop(target: Target): Promise<void>
  load(): Promise<Load>
  close(): Promise<void>
}

function environmentOf(database: Clone, data_dir: string): Record<string, string> {
  return {
    ...inherited,
    DATABASE_URL: database.url,
    DATA_DIR: data_dir,
    PORT: '0',
    PUBLIC_URL: 'http://dodeca.test',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: email,
    ADMIN_PASSWORD: password,
    KERNEL_SANDBOX: 'false',
    COMMERCE_OPEN_CARTS: '10000',
    UPLOADS_OPEN_PER_PRINCIPAL: '100000',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    KERNEL_RATE_FACTOR: '10000',
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    KERNEL_DATABASE_WAIT_MS: '20000',
    IDENTITY_HASH_MAX_MS: '1',
    IDENTITY_HASH_WAIT_MS: '30000',
  }
}

function launch(release: Release, environment: Record<string, string>) {
  const child = endsWithFile(spawn(process.execPath, [release.program], { env: environment }))
  let output = ''
  const add = (part: unknown) => void (output += String(part))
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  return { child, gone: once(child, 'exit'), output: () => output }
}

export async function openFleet(): Promise<Fleet> {
  const database = await emptyDatabase()
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-fleet-'))
  const environment = environmentOf(database, data_dir)
  const children = new Map<Target, ChildProcess>()
  const targets: Target[] = []
  const stop: Fleet['stop'] = async target => {
    const child = children.get(target)
    if (!child) throw new Error(`${target.name} does not run`)
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    children.delete(target)
    targets.splice(targets.indexOf(target), 1)
  }
  const start: Fleet['start'] = async release => {
    const { child, gone, output } = launch(release, environment)
    let ended = false
    void gone.then(() => (ended = true))
    const look = () => {
      if (ended) throw new Error(`${release.name} ended: ${output()}`)
      return /ready (\d+)/.exec(output())?.[1]
    }
    const port = await eventually(`${release.name} starts`, look)
    const target = { name: release.name, url: `http://127.0.0.1:${port}` }
    children.set(target, child)
    targets.push(target)
    return target
  }
  return {
    database,
    start,
    stop,
    load: async () => new Load(() => targets, await sceneOf(targets[0]?.url ?? '')),
    close: async () => {
      await Promise.all([...children.keys()].map(stop))
      await database.drop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

/** What the clients need before the upgrade begins: the right to do it, a template, a conversation. */
async function sceneOf(url: string): Promise<Scene> {
  const login = await call(url, 'POST', '/v1/sessions', { body: { email, password } })
  const token = login.body.access_token as string
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call(url, method, path, { token, key: newKey(), ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const permissions = ['jobs.jobs.submit:demo.count', 'jobs.jobs.read:demo.count']
  await ask('POST', '/v1/roles', { role_id: 'submitter', name: 'Submits jobs', permissions })
  await ask('PUT', `/v1/accounts/${login.body.account_id}/roles/submitter`)
  const channels = { in_app: { title: 'Order {{ order }}', body: 'It is here' } }
  const template = 'order_is_here'
  await ask('POST', '/v1/notification-templates', {
    name: template,
    default_locale: 'en',
    channels,
  })
  await ask('POST', `/v1/notification-templates/${template}/versions/1/publish`)
  const other = { email: 'ben@example.com', password }
  await ask('POST', '/v1/accounts', other)
  const { account_id } = await ask('POST', '/v1/sessions', other)
  const members = { type: 'group', title: 'Upgrade', member_ids: [account_id] }
  const { id } = await ask('POST', '/v1/conversations', members)
  return { token, account: { email, password }, other, template, conversation_id: id }
}
