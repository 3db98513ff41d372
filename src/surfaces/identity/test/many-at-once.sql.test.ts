/**
 * What ends for a thousand people in one commit: the statements do not grow with them, and each of
 * them has the events, the records and the mail that one would have.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openSignInWorld } from './sign-in-world.ts'

const many = 1000
const world = await openSignInWorld({ IDENTITY_ORGANIZATIONS: 'members' })
const { call } = world
const { db } = world.platform.kernel
afterAll(() => world.close())

const Count = Type.Object({ n: Type.Integer() })
const Counted = Type.Object({ relation: Type.String(), n: Type.Integer() })
const watched = [
  'identity.role_assignments',
  'identity.accounts',
  'identity.external_identities',
  'identity.security_events',
  'identity.mails',
  'identity.sessions',
  'identity.api_keys',
]

// PostgreSQL counts the statements that write each table.
beforeAll(async () => {
  await db.run(sql`create table public.statements (relation text not null)`)
  await db.run(sql`
    create function public.count_statement() returns trigger language plpgsql as $$
    begin
      insert into public.statements values (tg_table_schema || '.' || tg_table_name);
      return null;
    end $$`)
  for (const name of watched) {
    const [schema = '', table = ''] = name.split('.')
    await db.run(sql`
      create trigger counted after insert or update or delete on ${sql.id(schema, table)}
      for each statement execute function public.count_statement()`)
  }
})

async function counting(work: () => Promise<{ status: number; text: string }>) {
  await db.run(sql`truncate public.statements`)
  const answer = await work()
  expect(answer.status, answer.text).toBe(200)
  const rows = await db.many(
    Counted,
    sql`select relation, count(*)::int as n from public.statements group by relation`,
  )
  return Object.fromEntries(rows.map(({ relation, n }) => [relation, n]))
}

/** Accounts at home in the tenant, with addresses. */
async function people(tenant_id: string): Promise<string[]> {
  const ids = Array.from({ length: many }, newId)
  await db.run(sql`
    insert into identity.accounts
      (tenant_id, id, email, email_normalized, email_scope, status, verified_at)
    select ${tenant_id}, id, id || '@many.test', id || '@many.test', ${tenant_id}, 'active',
      kernel.now()
    from unnest(${ids}::uuid[]) id`)
  return ids
}

const rowsOf = async (table: string, tenant_id: string, where = sql`true`) =>
  (
    await db.one(
      Count,
      sql`select count(*)::int as n from ${sql.id('identity', table)}
        where tenant_id = ${tenant_id} and ${where}`,
    )
  ).n
const eventsOf = async (tenant_id: string, type: string) =>
  (
    await db.one(
      Count,
      sql`select count(distinct (aggregate_id, aggregate_version))::int as n from (
          select tenant_id, type, aggregate_id, aggregate_version from kernel.outbox_events
          union all
          select tenant_id, type, aggregate_id, aggregate_version from kernel.events) e
        where tenant_id = ${tenant_id} and type = ${type}`,
    )
  ).n

test('the end of the trust in a tenant takes the roles of all in a few statements', async () => {
  const root = await world.admin()
  await world.give(root, 'platform_operator')
  const tenant = await world.tenant()
  const ids = await people(tenant.id)
  await db.run(sql`
    insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
    select id, ${tenant.id}, role_id, 'system' from unnest(${ids}::uuid[]) id,
      unnest(array['refund_operator', 'merchant_service', 'auditor']) role_id`)
  const statements = await counting(() =>
    call('PATCH', `/v1/tenants/${tenant.id}`, { token: root.token, body: { trusted: false } }),
  )
  expect(statements['identity.role_assignments']).toBe(1)
  expect(statements['identity.accounts']).toBe(1)
  expect(statements['identity.security_events']).toBe(1)
  expect(await rowsOf('role_assignments', tenant.id)).toBe(many)
  const revoked = sql`action = 'role.revoked'`
  expect(await rowsOf('security_events', tenant.id, revoked)).toBe(2 * many)
  expect(await eventsOf(tenant.id, 'role.revoked')).toBe(2 * many)
})

test('a connection that leads to another provider forgets its people, and tells them', async () => {
  const admin = await world.admin()
  const { id: tenant_id } = admin.tenant
  const body = { ...world.played('github'), jit: true }
  const made = await call('POST', '/v1/connections', { token: admin.token, body })
  expect(made.status, made.text).toBe(201)
  const { id } = made.body
  const ids = await people(tenant_id)
  await db.run(sql`
    insert into identity.external_identities (tenant_id, id, account_id, provider, issuer, subject)
    select ${tenant_id}, gen_random_uuid(), one, ${id}, 'connection:' || ${id}, one::text
    from unnest(${ids}::uuid[]) one`)
  const fields = { subject: 'node_id' }
  const change = { fields, client_secret: 'another' }
  const statements = await counting(() =>
    call('PATCH', `/v1/connections/${id}`, { token: admin.token, body: change }),
  )
  expect(statements['identity.external_identities']).toBe(1)
  expect(statements['identity.accounts']).toBe(1)
  expect(statements['identity.mails']).toBe(1)
  // Of the identities, and of the change.
  expect(statements['identity.security_events']).toBe(2)
  expect(await eventsOf(tenant_id, 'external_identity.unlinked')).toBe(many)
  expect(await rowsOf('mails', tenant_id, sql`template = 'identity_unlinked'`)).toBe(many)
  const unlinked = sql`action = 'external_identity.unlinked'`
  expect(await rowsOf('security_events', tenant_id, unlinked)).toBe(many)
})
