/** Tenants and people of a test: they register and log in like any others. */
import { newId, sql, type Db } from '#dodeca/kernel'
import type { Answer, Ask } from './call.ts'

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
  /** The same person after another log-in: tokens end after five minutes of the clock. */
  again(member: Member): Promise<Member>
  /** Gives built-in roles of this tenant, as an administrator would. */
  give(member: Member, ...roles: string[]): Promise<void>
  /** Gives these permissions, by a role that their tenant defines for it. */
  allow(member: Pick<Member, 'id' | 'tenant'>, ...permissions: string[]): Promise<void>
}

export const password = 'correct horse battery staple'

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
    again: async who => ({ ...who, ...(await sessionOf(login, who)) }),
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
  return { ...who, ...(await sessionOf(login, who)) }
}

async function sessionOf(
  login: People['login'],
  who: Pick<Member, 'email' | 'password' | 'tenant'>,
) {
  const { status, text, body } = await login(who)
  if (status !== 201) throw new Error(`no login: ${text}`)
  const { access_token, session_id, refresh_token, device_token, account_id } = body
  const id = String(account_id)
  return { id, token: access_token, session_id, refresh_token, device_token }
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
