/**
 * An application in a folder of its own, made by `dodeca new` and run by the command: the platform
 * runs from its bundle, and the application has the very modules that run.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBundle } from '../scripts/bundle.mjs'
import { emptyDatabase } from '../src/kernel/database/test/empty-database.ts'
import { endsWithFile } from './children.ts'
import { call, type Clone } from './world.ts'

const root = resolve(import.meta.dirname, '..')
const bin = join(root, 'bin/dodeca.mjs')

let parent: string
let folder: string
beforeAll(async () => {
  await ensureBundle()
  parent = await mkdtemp(join(tmpdir(), 'dodeca-own-'))
  folder = join(parent, 'shop')
})
afterAll(() => rm(parent, { recursive: true, force: true }))

type Ended = { readonly code: number; readonly output: string }

function dodeca(cwd: string, ...words: string[]): Promise<Ended> {
  return new Promise(done => {
    execFile(process.execPath, [bin, ...words], { cwd }, (error, stdout, stderr) => {
      done({ code: Number(error?.code ?? 0), output: stdout + stderr })
    })
  })
}

describe('dodeca new', () => {
  test('makes an application with a surface and a resource', async () => {
    const made = await dodeca(parent, 'new', 'app', 'shop', `--dodeca=file:${root}`)
    expect(made).toMatchObject({ code: 0 })
    const described = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as object
    const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      overrides: object
      allowScripts: object
    }
    const { overrides, allowScripts } = own
    const dependencies = { dodeca: `file:${root}` }
    expect(described).toMatchObject({ name: 'shop', overrides, allowScripts, dependencies })
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules/dodeca'))
    const fields = ['title:text', 'amount_minor:money', 'state:open/won', 'due:day', 'paid:boolean']
    expect(await dodeca(folder, 'new', 'surface', 'billing')).toMatchObject({ code: 0 })
    expect(await dodeca(folder, 'new', 'resource', 'crm.line_items', ...fields)).toMatchObject({
      code: 0,
    })
    expect(await dodeca(folder, 'new', 'resource', 'crm.people', '--one=person')).toMatchObject({
      code: 0,
    })
    expect(await readFile(join(folder, 'dodeca.config.ts'), 'utf8')).toContain(
      '[...surface_names, hello, billing, crm]',
    )
  })

  test.each([
    [['app', 'Shop'], /cannot be called Shop/],
    [['app', 'shop'], /is not empty/],
    [['surface', 'jobs'], /called jobs, because that name is reserved/],
    [['surface', 'crm'], /surface\.ts is there already/],
    [['resource', 'crm.orders'], /\/v1\/orders is reserved/],
    [['resource', 'crm.links'], /links/],
    [['resource', 'deals'], /such as crm\.deals/],
    [['resource', 'crm.staff'], /--one=<noun>/],
    [['resource', 'crm.deals', 'owner_id:text'], /cannot be called owner_id/],
    [['resource', 'crm.deals', 'price:money'], /price_minor/],
    [['resource', 'crm.deals', 'price:number'], /one of text, words/],
  ])('%s is refused with a sentence, and nothing is written', async (words, says) => {
    const at = words[0] === 'app' ? parent : folder
    const { code, output } = await dodeca(at, 'new', ...words)
    expect([code, output]).toEqual([1, expect.stringMatching(says)])
    expect(existsSync(join(folder, 'surfaces/crm/deals.ts'))).toBe(false)
  })
})

describe('the application under the bundle', () => {
  let database: Clone
  let url: string
  let stop: () => Promise<unknown>
  beforeAll(async () => {
    database = await emptyDatabase()
    const source = join(folder, 'surfaces/hello/surface.ts')
    const text = await readFile(source, 'utf8')
    const refusing = `,
  refuse: get('/v1/hello/refusal', 'Refuse', { reply: Greeting, fails: ['too_late'] }, () => {
    throw problem('too_late')
  }),
})`
    const errors = `const errors = {
  too_late: { status: 409, title: 'It is too late', cause: 'Time went by.', cure: 'Come sooner.' },
}
const problem = problemsOf(errors)
`
    await writeFile(
      source,
      text
        .replace('import { routesOf', 'import { problemsOf, routesOf')
        .replace('const routes', `${errors}\nconst routes`)
        .replace(',\n})', refusing)
        .replace("name: 'hello',", "name: 'hello',\n  errors,"),
    )
    const child = endsWithFile(
      spawn(process.execPath, [bin, 'start', '--json'], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'] ?? '',
          DATABASE_URL: database.url,
          PORT: '0',
          LOG_LEVEL: 'silent',
          KERNEL_SANDBOX: 'false',
          ADMIN_EMAIL: 'admin@example.test',
          ADMIN_PASSWORD: 'correct horse battery staple',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    let output = ''
    child.stderr.on('data', part => (output += String(part)))
    const gone = new Promise(done => child.once('exit', done))
    stop = () => {
      child.kill('SIGTERM')
      return gone
    }
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const line = await Promise.race([lines.next(), gone.then(() => ({ value: undefined }))])
    if (line.value === undefined) throw new Error(`it did not start: ${output}`)
    url = `http://127.0.0.1:${(JSON.parse(String(line.value)) as { port: number }).port}`
  })
  afterAll(async () => {
    await stop()
    await database.drop()
  })

  test('its routes answer, and what it throws is a refusal of its own', async () => {
    const login = { email: 'admin@example.test', password: 'correct horse battery staple' }
    const { body: session } = await call(url, 'POST', '/v1/sessions', { body: login })
    const token = session.access_token as string
    expect((await call(url, 'GET', '/v1/hello')).status).toBe(401)
    const { status, body } = await call(url, 'GET', '/v1/hello', { token })
    expect([status, body.message]).toEqual([200, expect.stringContaining('Hello, account ')])
    const refused = await call(url, 'GET', '/v1/hello/refusal', { token })
    expect(refused).toMatchObject({ status: 409, body: { code: 'too_late' } })
    const item = { title: 'A', amount_minor: 5, due: '2026-12-01' }
    const made = await call(url, 'POST', '/v1/line-items', { token, body: item })
    expect(made).toMatchObject({ status: 201, body: { ...item, state: 'open', paid: false } })
    const listed = await call(url, 'GET', '/v1/line-items', { token })
    expect(listed.body.data).toEqual([made.body])
    expect((await call(url, 'POST', '/v1/people', { token, body: { title: '' } })).status).toBe(422)
  })
})
