/** An application: some of the platform's surfaces, and its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { app, ownSurfaces, surface_names, type App } from '../src/app.ts'
import { composeApp } from '../src/load-app.ts'
import { composeIdentity } from '../src/identity-alone.ts'
import { directClient } from '../src/kernel/database/direct.ts'
import { emptyDatabase } from '../src/kernel/database/test/empty-database.ts'
import { readApp } from '../src/read-app.ts'
import { migrationSources, start, type Running } from '../src/runtime/start.ts'
import { loadConfig } from '../src/settings.ts'
import { newId } from '#dodeca/kernel'
import { leads } from './surfaces/leads/surface.ts'
import { call, type Clone } from './world.ts'

let database: Clone
let folder: string
beforeAll(async () => {
  database = await emptyDatabase()
  folder = await mkdtemp(join(tmpdir(), 'dodeca-app-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

const environment = () => ({
  DATABASE_URL: database.url,
  DATA_DIR: folder,
  PORT: '0',
  PUBLIC_URL: 'http://dodeca.test',
  LOG_LEVEL: 'silent',
  KERNEL_SANDBOX: 'false',
  ADMIN_EMAIL: 'admin@example.test',
  ADMIN_PASSWORD: 'correct horse battery staple',
})

async function startApp(given: App): Promise<Running> {
  const config = loadConfig({}, environment(), given)
  return await start(config, () => {}, await composeApp(given))
}

async function schemas(): Promise<string[]> {
  const client = directClient(database.url, 'test')
  await client.connect()
  const { rows } = await client.query<{ schema: string }>(
    'select distinct schema from kernel.migrations order by schema',
  )
  await client.end()
  return rows.map(({ schema }) => schema)
}

const shop = app({ surfaces: ['payments', leads], settings: { LEADS_LEADS_MOST: '7' } })

describe('with two surfaces', () => {
  let running: Running
  let url: string
  beforeAll(async () => {
    running = await startApp(shop)
    url = `http://127.0.0.1:${running.port}`
  })
  afterAll(() => running.stop())

  test('it has these, those that all need, and nothing else', async () => {
    const names = ['identity', 'jobs', 'leads', 'notifications', 'payments']
    expect(Object.keys(running.platform.opened).toSorted()).toEqual(names)
    expect(await schemas()).toEqual([
      'identity',
      'jobs',
      'kernel',
      'leads',
      'notifications',
      'payments',
    ])
    const { paths } = JSON.parse(running.platform.document()) as { paths: object }
    expect(Object.keys(paths)).toContain('/v1/leads')
    expect(Object.keys(paths)).not.toContain('/v1/uploads')
  })

  test('its own operations answer, and those of a surface that is off are 404', async () => {
    const login = { email: 'admin@example.test', password: 'correct horse battery staple' }
    const { body: session } = await call(url, 'POST', '/v1/sessions', { body: login })
    const token = session.access_token as string
    const made = await call(url, 'POST', '/v1/leads', {
      token,
      body: { title: `A house ${newId()}`, amount_minor: 100 },
    })
    expect(made.status).toBe(201)
    expect((await call(url, 'GET', '/v1/orders', { token })).status).toBe(404)
  })

  test('it starts again with more surfaces, and not without one that it had', async () => {
    await expect(startApp({ surfaces: [leads] })).rejects.toThrow(/surface payments, which is off/)
    const more = await startApp({ surfaces: ['payments', 'links', leads] })
    await more.stop()
    expect(await schemas()).toContain('links')
  })

  test('commands that open identity alone know the same surfaces', async () => {
    const known = composeIdentity(shop)
    const all = await composeApp(shop)
    expect(migrationSources(known)).toEqual(migrationSources(all))
  })
})

test.each<[string, App, RegExp]>([
  ['a need that is off', { surfaces: ['commerce'] }, /commerce needs payments, which is off/],
  ['a name that is none', { surfaces: ['shop' as 'chat'] }, /no surface shop/],
  ['an own surface with a name of ours', { surfaces: [{ ...leads, name: 'chat' }] }, /called chat/],
])('%s is refused', async (_what, given, says) => {
  await expect(composeApp(given)).rejects.toThrow(says)
})

test('it has the settings of its surfaces, and its own values for them', () => {
  const { limits } = loadConfig({}, environment(), shop)
  expect(limits.find(({ name }) => name === 'leads.leads_most')?.value).toBe(7)
  expect(limits.filter(({ name }) => name.startsWith('chat.'))).toEqual([])
  const given = loadConfig({}, { ...environment(), LEADS_LEADS_MOST: '8' }, shop)
  expect(given.settings['leads.leads_most']).toBe(8)
})

test('the settings of a surface that is off are unknown', () => {
  const env = { ...environment(), CHAT_DATA_KEY_DAYS: '1' }
  expect(() => loadConfig({}, env, shop)).toThrow(/no setting CHAT_DATA_KEY_DAYS/)
})

test('it is read from the file of its folder; without one it has all surfaces', async () => {
  expect(await readApp(folder)).toEqual({})
  await writeFile(
    join(folder, 'dodeca.config.ts'),
    `export default { surfaces: ['links'] as const }\n`,
  )
  expect(await readApp(folder)).toEqual({ surfaces: ['links'] })
  expect(ownSurfaces({ surfaces: [...surface_names, leads] })).toEqual([leads])
})
