/**
 * The product for one test file: its own database (a clone of the product's template), real HTTP on
 * loopback, and accounts that registered and logged in like any other. Each test creates its own
 * tenant.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { loadConfig } from '../src/settings.ts'
import type { Db } from '../src/kernel/database/db.ts'
import { sql } from '../src/kernel/database/sql.ts'
import { newId } from '../src/kernel/ids.ts'
import type { Platform } from '../src/runtime/open-platform.ts'
import type { Composition } from '../src/runtime/composition.ts'
import { composition } from '../src/platform.ts'
import { start } from '../src/runtime/start.ts'
import type { Face, MailToSend } from '../src/surfaces/identity/face.ts'
import { call, cloneDatabase, type Answer, type Ask } from './world.ts'

export type Tenant = { readonly id: string; readonly slug: string }

export type Member = {
  readonly id: string
  readonly tenant: Tenant
  readonly email: string
  readonly password: string
  readonly token: string
  readonly session_id: string
  readonly refresh_token: string
  readonly device_token: string
}

/** Tenants and people of a platform that a test can reach, with rights as an administrator gives them. */
export type People = {
  call(method: string, path: string, ask?: Ask): Promise<Answer>
  /** A tenant that is open for registrations. */
  tenant(): Promise<Tenant>
  /** An account that registered and logged in; in a new tenant, or in the given one. */
  member(tenant?: Tenant): Promise<Member>
  login(who: Pick<Member, 'email' | 'password' | 'tenant'>, more?: object): Promise<Answer>
  /** Gives built-in roles of this tenant, as an administrator would. */
  give(member: Member, ...roles: string[]): Promise<void>
  /** Gives these permissions, by a role that their tenant defines for it. */
  allow(member: Pick<Member, 'id' | 'tenant'>, ...permissions: string[]): Promise<void>
}

export type ProductWorld = People & {
  readonly url: string
  readonly database_url: string
  readonly data_dir: string
  readonly platform: Platform
  readonly identity: Face
  /** What a process of this world is configured with, for one more beside it. */
  readonly environment: Record<string, string>
  /** The mails that wait for an address, oldest first, as they would be sent now. */
  mails(address: string): Promise<MailToSend[]>
  close(): Promise<void>
}

export const password = 'correct horse battery staple'

/** `composed`: the product, or the product with more that only tests need. */
export async function openProductWorld(
  settings: Record<string, string> = {},
  composed: Composition = composition,
): Promise<ProductWorld> {
  const clone = await cloneDatabase('product_template')
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-product-'))
  const environment = {
    ...clone.environment,
    DATA_DIR: data_dir,
    PORT: '0',
    PUBLIC_URL: 'http://dodeca.test',
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    KERNEL_RATE_FACTOR: '10000',
    KERNEL_SANDBOX: 'false',
    // Requests of a test must not be refused because the machine is busy.
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    KERNEL_DATABASE_WAIT_MS: '20000',
    IDENTITY_HASH_MAX_MS: '1',
    IDENTITY_HASH_WAIT_MS: '30000',
    IDENTITY_EMAIL_SCOPE: 'tenant',
    ...settings,
  }
  const running = await start(loadConfig({}, environment), () => {}, composed)
  const { platform } = running
  const url = `http://127.0.0.1:${running.port}`
  const identity = platform.opened['identity']?.face as Face
  return {
    ...peopleOf((method, path, asked) => call(url, method, path, asked), platform.kernel.db),
    url,
    database_url: clone.url,
    data_dir,
    platform,
    identity,
    environment: { ...environment, ...clone.beside },
    mails: address => mailsTo(platform, identity, address),
    close: async () => {
      await running.stop()
      await clone.drop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

export function peopleOf(ask: People['call'], db: Pick<Db, 'run'>): People {
  const login: People['login'] = (who, more = {}) =>
    ask('POST', '/v1/sessions', {
      body: { email: who.email, password: who.password, tenant: who.tenant.slug, ...more },
    })
  const tenant = () => makeTenant(db)
  return {
    call: ask,
    tenant,
    login,
    member: async given => register(ask, login, given ?? (await tenant())),
    give: async (member, ...roles) => {
      for (const role of roles) {
        await db.run(sql`
          insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
          values (${member.id}, ${member.tenant.id}, ${role}, 'system') on conflict do nothing`)
      }
    },
    allow: (member, ...permissions) => allow(db, member, permissions),
  }
}

async function register(
  ask: People['call'],
  login: People['login'],
  tenant: Tenant,
): Promise<Member> {
  const who = { email: `p-${newId()}@example.test`, password, tenant }
  const registered = await ask('POST', '/v1/accounts', {
    body: { email: who.email, password, tenant: tenant.slug },
  })
  if (registered.status !== 202) throw new Error(`no registration: ${registered.text}`)
  const { status, text, body } = await login(who)
  if (status !== 201) throw new Error(`no login: ${text}`)
  const { access_token, session_id, refresh_token, device_token, account_id } = body
  return { ...who, id: account_id, token: access_token, session_id, refresh_token, device_token }
}

async function makeTenant(db: Pick<Db, 'run'>): Promise<Tenant> {
  const made = { id: newId(), slug: `t-${newId().slice(-12)}` }
  await db.run(sql`
    insert into identity.tenants (id, slug, name, signup)
    values (${made.id}, ${made.slug}, ${made.slug}, 'open')`)
  return made
}

async function allow(
  db: Pick<Db, 'run'>,
  { id, tenant }: Pick<Member, 'id' | 'tenant'>,
  held: string[],
) {
  const role = `r${newId().replaceAll('-', '').slice(-20)}`
  await db.run(sql`
    insert into identity.roles (tenant_id, role_id, name) values (${tenant.id}, ${role}, ${role})`)
  await db.run(sql`
    insert into identity.role_permissions (tenant_id, role_id, permission)
    select ${tenant.id}, ${role}, permission from unnest(${held}::text[]) permission`)
  await db.run(sql`
    insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
    values (${id}, ${tenant.id}, ${role}, 'system')`)
}

async function mailsTo({ kernel }: Platform, identity: Face, address: string) {
  const rows = await kernel.db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from identity.mails where address = ${address} order by id`,
  )
  const mails = await Promise.all(rows.map(({ id }) => identity.mail(id)))
  return mails.filter(mail => mail !== undefined)
}
