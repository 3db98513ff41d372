/**
 * A database that was restored to an earlier moment, and the damaged one beside it: two real databases,
 * of which the one is a copy of the other, made before rights ended there.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { call, newKey } from '../../../test/world.ts'
import { openProductWorld, type Member, type ProductWorld } from '../../../test/product-world.ts'
import { composition } from '../../platform.ts'
import { start } from '../../runtime/start.ts'
import { loadConfig } from '../../settings.ts'
import { commandsWith, type Commands } from './in-process.ts'

let world: ProductWorld
beforeAll(async () => {
  world = await openProductWorld({})
})
afterAll(() => world.close())

/** As it is now, under another name. */
async function copyOfDatabase(): Promise<string> {
  const from = new URL(world.database_url).pathname.slice(1)
  const to = `${from}_restored_${newKey().slice(-8).replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: inject('admin_url') })
  await admin.connect()
  await admin.query(`alter database "${from}" with allow_connections false`)
  await admin.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
    [from],
  )
  await admin.query(`create database "${to}" template "${from}"`)
  await admin.query(`alter database "${from}" with allow_connections true`)
  await admin.query(`alter database "${to}" with allow_connections true`)
  onTestFinished(async () => {
    await admin.query(`drop database "${to}" with (force)`)
    await admin.end()
  })
  const url = new URL(world.database_url)
  url.pathname = `/${to}`
  return url.toString()
}

async function keyOf({ token }: Member) {
  const body = { name: 'a program', permissions: ['links.links.create'] }
  const { body: made } = await world.call('POST', '/v1/api-keys', { token, key: newKey(), body })
  return { id: made.id as string, secret: made.key as string }
}

async function started(environment: Record<string, string>): Promise<string> {
  const running = await start(loadConfig({}, environment), () => {}, composition)
  onTestFinished(() => running.stop())
  return `http://127.0.0.1:${running.port}`
}

const on = (url: string): { environment: Record<string, string>; commands: Commands } => {
  const environment = {
    ...world.environment,
    DATABASE_URL: url,
    KERNEL_DATABASE_DIRECT_URL: url,
    ROLES: 'api',
  }
  return { environment, commands: commandsWith(environment) }
}

const me = async (url: string, token: string) =>
  (await call(url, 'GET', '/v1/me', { token })).status
const create = async (url: string, token: string) => {
  const body = { destination_url: 'https://www.example.com/' }
  return (await call(url, 'POST', '/v1/links', { token, key: newKey(), body })).status
}

test('what ended after the moment ends again, and the rest stays', async () => {
  const [staying, disabled, erased, closed] = [
    await world.member(),
    await world.member(),
    await world.member(),
    await world.member(),
  ]
  await world.give(staying, 'auditor', 'support_viewer')
  const [kept, revoked] = [await keyOf(staying), await keyOf(staying)]
  const restored = await copyOfDatabase()

  const here = commandsWith(world.environment)
  const tenant = `--tenant=${staying.tenant.slug}`
  await here.json(['user', 'revoke', staying.email, 'auditor', tenant])
  await here.json(['user', 'disable', disabled.email, `--tenant=${disabled.tenant.slug}`])
  await here.json(['tenant', 'disable', closed.tenant.slug])
  const path = `/v1/api-keys/${revoked.id}`
  expect((await world.call('DELETE', path, { token: staying.token })).status).toBe(204)
  const gone = await world.call('DELETE', `/v1/accounts/${erased.id}`, { token: erased.token })
  expect(gone.status, gone.text).toBeLessThan(300)

  const { environment, commands } = on(restored)
  const old = world.database_url
  const ended = await commands.json(['restored', `--old=${old}`])
  expect(ended).toMatchObject({ tenants: 1, erased: 1, disabled: 1, roles: 1, api_keys: 1 })
  expect(ended.sessions).toBeGreaterThanOrEqual(4)
  expect(await commands.json(['restored', `--old=${old}`])).toEqual({
    sessions: 0,
    tenants: 0,
    erased: 0,
    disabled: 0,
    roles: 0,
    api_keys: 0,
    recovery_codes: 0,
    signing_key: false,
  })

  const url = await started(environment)
  for (const { token } of [staying, disabled, erased, closed])
    expect(await me(url, token)).toBe(401)
  expect([await create(url, kept.secret), await create(url, revoked.secret)]).toEqual([201, 401])
  const login = async ({ email, password, tenant: { slug } }: Member) =>
    await call(url, 'POST', '/v1/sessions', { body: { email, password, tenant: slug } })
  for (const who of [disabled, erased, closed]) expect((await login(who)).status).toBe(401)
  const { status, body } = await login(staying)
  expect(status).toBe(201)
  const { data } = await commands.json(['user', 'list', tenant])
  expect(data).toMatchObject([{ email: staying.email, role_ids: ['support_viewer'] }])
  expect(await me(url, body.access_token as string)).toBe(200)
})

test('without the damaged database every API key ends', async () => {
  const member = await world.member()
  const key = await keyOf(member)
  const { environment, commands } = on(await copyOfDatabase())
  const ended = await commands.json(['restored'])
  expect([ended.api_keys > 0, ended.sessions > 0]).toEqual([true, true])
  const url = await started(environment)
  expect([await create(url, key.secret), await me(url, member.token)]).toEqual([401, 401])
})

test('refuses the database of another platform, and one on which the platform runs', async () => {
  const { commands } = on(await copyOfDatabase())
  const other = await openProductWorld({})
  onTestFinished(() => other.close())
  const wrong = await commands.run(['restored', `--old=${other.database_url}`])
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('of another platform')])
  const running = await commandsWith(world.environment).run(['restored'])
  expect([running.code, running.err]).toEqual([1, expect.stringContaining('The platform runs')])
})
