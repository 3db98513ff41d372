/** The package as npm would publish it, in an empty project: strict types, and plain JavaScript. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProductWorld } from '../product-world.ts'
import { call } from '../world.ts'

const run = promisify(execFile)
const client = resolve(import.meta.dirname, '../../client')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-packed-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: client,
  })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  const installed = join(folder, 'node_modules/@dodeca/client')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed])
  for (const name of ['eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers']) {
    await symlink(await packageOf(name), join(folder, 'node_modules', name))
  }
  await symlink(resolve(client, '../node_modules/ws'), join(folder, 'node_modules/ws'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Workspaces put packages beside the client or at the root. */
async function packageOf(name: string): Promise<string> {
  const { stdout } = await run('npm', ['ls', name, '--parseable', '--all'], { cwd: client })
  const [found] = stdout.trim().split('\n')
  if (!found) throw new Error(`${name} is not installed`)
  return found
}

const program = `
import { createClient, login, Problem, verifyWebhook } from '@dodeca/client'

export async function count(base_url: string): Promise<string> {
  const api = await login({ base_url, email: 'ada@example.com', password: 'secret' })
  const { data } = await api.POST('/v1/jobs', { body: { type: 'demo.count', parameters: { to: 5 } } })
  const job = await api.jobs.waitFor(data.id)
  // @ts-expect-error: there is no such path
  await api.GET('/v1/no-such-path')
  // @ts-expect-error: it is misspelled
  await api.POST('/v1/jobs', { body: { typ: 'demo.count' } })
  // @ts-expect-error: it is misspelled, and could be left out
  await api.POST('/v1/jobs', { body: { type: 'demo.count', parameters: {}, dedupe: 'x' } })
  return job.status
}

export async function read(base_url: string, token: string): Promise<string | null> {
  const api = createClient({ base_url, token })
  const { data } = await api.POST('/v1/sessions', { body: { email: 'a@b.c', password: 'x' } })
  return 'status' in data ? data.challenge.challenge_id : (data.access_token ?? null)
}

export const all = [Problem, verifyWebhook]
`

const options = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noEmit: true,
}

test('compiles under the strictest rules', async () => {
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['program.ts'] }),
  )
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const tsc = join(client, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})

/** Different versions of Node on this machine. */
async function nodesHere(): Promise<ReadonlyMap<string, string>> {
  const nodes = (process.env['PATH'] ?? '').split(delimiter).map(path => join(path, 'node'))
  const versions = new Map<string, string>()
  for (const node of nodes) {
    const { stdout } = await run(node, ['--version']).catch(() => ({ stdout: '' }))
    if (stdout && !versions.has(stdout.trim())) versions.set(stdout.trim(), node)
  }
  expect(versions.size).toBeGreaterThan(0)
  return versions
}

test('runs as plain JavaScript on every Node of this machine', async () => {
  await writeFile(
    join(folder, 'plain.mjs'),
    `import { createClient, login, Problem } from '@dodeca/client'
const api = createClient({ base_url: 'http://127.0.0.1:9', retries: 0 })
const failed = await api.GET('/v1/limits').catch(error => error.constructor.name)
console.log([typeof login, typeof api.jobs.waitFor, Problem.name, failed].join(' '))`,
  )
  for (const [version, node] of await nodesHere()) {
    const { stdout } = await run(node, [join(folder, 'plain.mjs')])
    expect([version, stdout.trim()]).toEqual([version, 'function function Problem ConnectionError'])
  }
})

test('the package that a running platform gives out needs no other one, on every Node', async () => {
  const world = await openProductWorld()
  const other = await openProductWorld({})
  const of = async ({ url }: { readonly url: string }) => {
    const answer = await fetch(`${url}/client/dodeca-client.tgz`)
    expect(answer.headers.get('content-disposition')).toMatch(/"dodeca-client-[\d.]+\.tgz"$/)
    return Buffer.from(await answer.arrayBuffer())
  }
  const bytes = await of(world)
  // npm compares them with its lock file, and each process of a cell makes its own.
  expect(bytes.equals(await of(other))).toBe(true)
  await other.close()

  const given = await mkdtemp(join(tmpdir(), 'dodeca-given-'))
  await writeFile(join(given, 'dodeca-client.tgz'), bytes)
  await writeFile(join(given, 'package.json'), '{"type":"module"}')
  const install = ['install', '--offline', '--no-audit', './dodeca-client.tgz']
  await run('npm', install, { cwd: given })
  await writeFile(join(given, 'program.ts'), program)
  await writeFile(
    join(given, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: false }, files: ['program.ts'] }),
  )
  const tsc = join(client, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['-p', given]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')

  const { email, password, tenant } = await world.member()
  await writeFile(
    join(given, 'plain.mjs'),
    `import { login, Problem } from '@dodeca/client'
const [base_url, email, password, tenant] = process.argv.slice(2)
const api = await login({ base_url, email, password, tenant })
const { data } = await api.GET('/v1/me')
const wrong = await login({ base_url, email, tenant, password: 'x' }).catch(error => error)
console.log([data.id === api.session.account_id, wrong instanceof Problem, wrong.code].join(' '))`,
  )
  for (const [version, node] of await nodesHere()) {
    const words = [join(given, 'plain.mjs'), world.url, email, password, tenant.slug]
    const said = (await run(node, words)).stdout.trim()
    expect([version, said]).toEqual([version, 'true true invalid_credentials'])
  }
  await rm(given, { recursive: true })
})

test('chats on every Node of this machine', async () => {
  const world = await openProductWorld()
  const tenant = await world.tenant()
  const [ada, bob] = [await world.member(tenant), await world.member(tenant)]
  const talk = { token: ada.token, body: { type: 'direct', member_ids: [bob.id] } }
  const made = await call(world.url, 'POST', '/v1/conversations', talk)
  await writeFile(
    join(folder, 'chat.mjs'),
    `import { createClient } from '@dodeca/client'
import { WebSocket } from 'ws'
const [base_url, token, conversation_id, body] = process.argv.slice(2)
const api = createClient({ base_url, token })
if (!globalThis.WebSocket) {
  try { api.chat.connect() } catch (error) { console.log(error.message) }
}
const chat = api.chat.connect(globalThis.WebSocket ? {} : { WebSocket })
const { sequence } = await chat.send({ conversation_id, body })
console.log(sequence)
chat.close()`,
  )
  let sequence = 0
  for (const [version, node] of await nodesHere()) {
    const words = [join(folder, 'chat.mjs'), world.url, ada.token, made.body.id, version]
    const { stdout } = await run(node, words)
    const advice = Number(version.slice(1, 3)) < 22 ? /connect\(\{ WebSocket \}\)\.\n/ : /^/
    expect(stdout).toMatch(advice)
    expect([version, Number(stdout.trim().split('\n').at(-1))]).toEqual([version, ++sequence])
  }
})
