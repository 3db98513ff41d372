/**
 * The npm package in an empty folder: an application made with it, checked, started, and used with
 * its own client. Nothing is downloaded: the other packages are those of this checkout.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { pack } from '../scripts/pack.ts'
import { emptyDatabase } from '../src/kernel/database/test/empty-database.ts'
import { pdfOf } from '../src/surfaces/retrieval/extraction/test/samples.ts'
import { freePort } from './free-port.ts'
import { commandOf, type Command, type Started } from './own-app.ts'
import type { Clone } from './world.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

let parent: string
let folder: string
let command: Command
let database: Clone | undefined
let running: Started | undefined
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'dodeca-pack-'))
  folder = join(parent, 'shop')
  const modules = join(parent, 'node_modules')
  await mkdir(join(modules, 'dodeca'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  const tarball = await pack(parent)
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(modules, 'dodeca')])
  command = commandOf(join(modules, 'dodeca/bin/dodeca.mjs'))
  database = await emptyDatabase()
  // Three compilers run.
}, 600_000)
afterAll(async () => {
  await running?.stop()
  await database?.drop()
  await rm(parent, { recursive: true, force: true })
})

test('the package has no tests, no sources of the platform, and no tools', async () => {
  const installed = join(parent, 'node_modules/dodeca')
  const found = await readdir(installed, { recursive: true })
  expect(found).toContain('src/kernel/migrations/0001-kernel.sql')
  expect(found).toContain('docs/openapi.json')
  const left = found.filter(path =>
    /^(src|console|client)\/.*test\/|^src\/.*\.ts$|^(bench|scripts|test)\//.test(path),
  )
  expect(left).toEqual([])
  const described = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object
  for (const name of ['private', 'scripts', 'workspaces', 'devDependencies']) {
    expect(described).not.toHaveProperty(name)
  }
})

const added = `
export type Won = Static<typeof Greeting>
// @ts-expect-error: the message of a greeting is a text
export const wrong: Won = { message: 1 }
export async function count(tx: Tx): Promise<number> {
  const { rows } = await tx.one(Type.Object({ rows: Type.Integer() }), sql\`select 1 rows\`)
  // @ts-expect-error: the row has no such member
  return rows.more
}
`

const dodeca = (cwd: string, ...words: string[]) => command.run(cwd, words)

async function checkTypes(): Promise<string> {
  const tsc = join(root, 'client/node_modules/.bin/tsc')
  const checked = run(tsc, ['-p', folder])
  return (await checked.catch((error: unknown) => error as { stdout: string })).stdout
}

test('an application is made, and its types are checked', async () => {
  const fields = ['title:text', 'amount_minor:money', 'state:open/won', 'due:day', 'paid:boolean']
  const words = ['--dodeca=0.1.0']
  expect(await dodeca(parent, 'new', 'app', 'shop', ...words)).toMatchObject({ code: 0 })
  expect(await dodeca(folder, 'new', 'resource', 'crm.deals', ...fields)).toMatchObject({
    code: 0,
  })
  const source = join(folder, 'surfaces/hello/surface.ts')
  const text = await readFile(source, 'utf8')
  const checked = text.replace('import { routesOf', 'import { sql, type Static, type Tx, routesOf')
  await writeFile(source, checked + added)
  expect(await checkTypes()).toBe('')
  await writeFile(source, text)
})

const typed = `
import { login } from 'dodeca/client'
import { keyed, type paths } from '../client.ts'

export async function won(base_url: string): Promise<'open' | 'won' | undefined> {
  const api = await login<paths>({ base_url, keyed, email: 'a@b.c', password: 'secret' })
  const { data } = await api.GET('/v1/deals/{deal_id}', { params: { path: { deal_id: 'x' } } })
  // @ts-expect-error: a body has no such member
  await api.POST('/v1/deals', { body: { title: 'x', amount_minor: 1, stat: 'won' } })
  // @ts-expect-error: a deal has no such member
  return data.state ?? data.states
}
`

test('the types of its own operations are written for the client', async () => {
  const modules = join(folder, 'node_modules')
  const refused = await dodeca(folder, 'client')
  expect(refused.output).toMatch(/npm install --save-dev openapi-typescript@7\.13\.0/)
  await symlink(join(root, 'client/node_modules'), modules)
  expect(await dodeca(folder, 'client')).toMatchObject({ code: 0 })
  await rm(modules)
  await writeFile(join(folder, 'surfaces/typed.ts'), typed)
  expect(await checkTypes()).toBe('')
  await rm(join(folder, 'surfaces/typed.ts'))
})

const program = `
import { readFile } from 'node:fs/promises'
import { createClient, login } from 'dodeca/client'

const [, , base_url, email, password] = process.argv
const api = await login({ base_url, email, password })
const { data: hello } = await api.GET('/v1/hello')
const deal = { title: 'A house', amount_minor: 5, due: '2026-12-01' }
const { data: made } = await api.POST('/v1/deals', { body: deal })
const file = new File([await readFile('car.pdf')], 'car.pdf', { type: 'application/pdf' })
const upload = { purpose: 'document_ingest', media_category: 'document' }
const stored = await api.uploads.put(file, upload)
const collection = { name: 'Papers', embedding_profile: 'use-512@1' }
const { data: papers } = await api.POST('/v1/collections', { body: collection })
const params = { path: { collection_id: papers.id } }
const document = { title: 'Car', file_id: stored.id }
const { data: job } = await api.POST('/v1/collections/{collection_id}/documents', { params, body: document })
let read
do {
  const of = { params: { path: { job_id: job.job_id } } }
  ;({ data: read } = await api.GET('/v1/ingestion-jobs/{job_id}', of))
  await new Promise(done => setTimeout(done, 100))
} while (!read.completed_at)
const query = { collection_ids: [papers.id], query: 'fixing vehicles' }
const { data: found } = await api.POST('/v1/search', { body: query })
console.log(JSON.stringify({ hello, made, read, found }))
`

test('it starts, and its own routes, an upload, a PDF and a search by meaning work', async () => {
  running = await command.start(folder, {
    DATABASE_URL: database?.url ?? '',
    RETRIEVAL_SEARCH_SECONDS: '100',
    // Addresses for the parts of an upload lead here.
    PORT: String(await freePort()),
  })
  await writeFile(join(folder, 'use.mjs'), program)
  await writeFile(join(folder, 'car.pdf'), pdfOf(['An automobile is repaired by a mechanic.']))
  const { email, password } = running.administrator
  const { stdout } = await run(process.execPath, ['use.mjs', running.url, email, password], {
    cwd: folder,
  })
  expect(JSON.parse(stdout)).toMatchObject({
    hello: { message: expect.stringContaining('Hello, account ') as string },
    made: { title: 'A house', state: 'open', paid: false },
    read: { state: 'succeeded' },
    found: {
      degraded: [],
      data: [{ rank: 1, text: expect.stringContaining('An automobile is repaired') as string }],
    },
  })
})

test('its own tests pass with the kit', async () => {
  const { stdout } = await run(process.execPath, ['test/hello.test.ts'], {
    cwd: folder,
    env: { ...process.env, TEST_DATABASE_URL: inject('admin_url') },
  })
  expect(stdout).toContain('✔ a member is greeted')
})

test('its pages, its console and its commands work', async () => {
  const { url } = running as Started
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html, */*' } })
    return { status: answer.status, text: await answer.text() }
  }
  const console = await read('/console')
  expect(console.status).toBe(200)
  const [, script = ''] = /src="([^"]+\.js)"/.exec(console.text) ?? []
  expect(await read(script)).toMatchObject({ status: 200 })
  expect((await read('/docs/getting-started')).text).toContain('Getting started')
  expect((await read('/docs/dodeca.py')).text).toContain('def list_deals')
  const points = await fetch(`${url}/dev/fault-points`)
  expect(await points.text()).toContain('jobs.')
})
