/** Lists of what a person has: their own wherever they work, those of others with the permission. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member, type Tenant } from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { Id, sql } from '#dodeca/kernel'

const world = await openProductWorld()
afterAll(() => world.close())

type Caller = Pick<Member, 'token'>

const read = ({ token }: Caller, path: string, headers = {}) =>
  world.call('GET', path, { token, headers })

const table = (caller: Caller, path: string) => read(caller, path, { accept: 'text/csv' })

const idsOf = ({ body }: Answer) => body.data.map((one: { id: string }) => one.id)

const linesOf = ({ text }: Answer) => text.replace('\u{feff}', '').trimEnd().split('\r\n')

async function keyOf({ token }: Caller, name: string) {
  const body = { name, permissions: ['identity.accounts.read'] }
  const made = await world.call('POST', '/v1/api-keys', { token, body })
  expect(made.status, made.text).toBe(201)
  return made.body
}

/** The same session, working in another tenant. */
async function inside(tenant: Tenant, guest: Member): Promise<Caller> {
  await world.give({ ...guest, tenant }, 'auditor')
  const { body } = await world.call('POST', `/v1/sessions/${guest.session_id}/refresh`, {
    body: { refresh_token: guest.refresh_token, tenant_id: tenant.id },
  })
  expect(body.tenant_id).toBe(tenant.id)
  return { token: body.access_token }
}

const exportsOf = async ({ tenant }: Member) => {
  const acts = await world.platform.kernel.db.many(
    Type.Object({ actor: Id, target: Type.String() }),
    sql`
      select actor, target from kernel.audit_events
      where tenant_id = ${tenant.id} and action = 'kernel.list.export' order by id`,
  )
  return acts.map(({ actor, target }) => [actor, target])
}

test.concurrent(
  'a guest sees their own sessions and events, their host none, and keys are those of the tenant',
  async () => {
    const [guest, host] = [await world.member(), await world.member()]
    await world.give(guest, 'auditor')
    await world.give(host, 'tenant_admin', 'session_administrator')
    const key = await keyOf(guest, 'at home')
    const away = await inside(host.tenant, guest)
    const own = [
      '/v1/sessions',
      `/v1/accounts/${guest.id}/sessions`,
      `/v1/security-events?account_id=${guest.id}`,
    ]
    for (const path of own) {
      const seen = idsOf(await read(away, path))
      expect([path, seen]).toEqual([path, idsOf(await read(guest, path))])
      expect(seen.length).toBeGreaterThan(0)
    }
    expect((await read(away, '/v1/sessions')).body.data).toMatchObject([
      { id: guest.session_id, current: true },
    ])
    expect(idsOf(await read(guest, '/v1/api-keys'))).toEqual([key.id])
    expect(idsOf(await read(away, '/v1/api-keys'))).toEqual([])
    const { body } = await read(host, `/v1/accounts/${guest.id}/sessions`)
    expect(body.code).toBe('account_not_found')
    for (const query of [`account_id=${guest.id}`, 'scope=tenant', `scope=tenant&find=${key.id}`]) {
      expect(idsOf(await read(host, `/v1/api-keys?${query}`))).toEqual([])
    }
    const of_host = (await read(away, '/v1/security-events')).body.data
    expect(of_host.map((one: { account_id: string }) => one.account_id)).toContain(host.id)
    const at_home = idsOf(await read(guest, `/v1/security-events?account_id=${guest.id}`))
    for (const id of at_home) {
      expect(idsOf(await read(host, `/v1/security-events?find=${id}`))).toEqual([])
    }
  },
)

test.concurrent('keys of a tenant are found by state and prefix, with the permission', async () => {
  const [owner, stranger] = [await world.member(), await world.member()]
  const admin = await world.member(owner.tenant)
  await world.give(owner, 'auditor')
  for (const one of [admin, stranger]) await world.give(one, 'tenant_admin')
  const [kept, revoked, expired] = [
    await keyOf(owner, '=kept'),
    await keyOf(owner, 'revoked'),
    await keyOf(owner, 'expired'),
  ]
  await world.call('DELETE', `/v1/api-keys/${revoked.id}`, { token: owner.token })
  await world.platform.kernel.db.run(sql`
    update identity.api_keys set expires_at = kernel.now() where id = ${expired.id}`)
  const find = async (who: Caller, query: string) => idsOf(await read(who, `/v1/api-keys?${query}`))
  expect(await find(admin, '')).toEqual([])
  expect(await find(admin, 'scope=tenant')).toEqual([expired.id, revoked.id, kept.id])
  for (const { state, id } of [
    { state: 'active', id: kept.id },
    { state: 'revoked', id: revoked.id },
    { state: 'expired', id: expired.id },
  ]) {
    expect(await find(owner, `state=${state}`)).toEqual([id])
    expect(await find(admin, `scope=tenant&state=${state}`)).toEqual([id])
  }
  const prefix = `scope=tenant&find=${kept.prefix}`
  expect([await find(admin, prefix), await find(stranger, prefix)]).toEqual([[kept.id], []])
  expect((await read(owner, '/v1/api-keys?scope=tenant')).body.code).toBe('permission_denied')
  const exported = await table(admin, '/v1/api-keys?scope=tenant')
  const [header, ...lines] = linesOf(exported)
  expect(header).toBe(
    'id,account_id,made_by,name,prefix,permissions,state,created_at,last_used_at,expires_at,revoked_at',
  )
  expect(lines).toHaveLength(3)
  expect(lines[2]).toContain(`,'=kept,`)
  expect(exported.text).not.toContain(kept.key.slice(36))
})

test.concurrent('events of a time, and their export', async () => {
  const member = await world.member()
  const auditor = await world.member(member.tenant)
  await world.give(auditor, 'auditor')
  await world.login({ ...member, password: 'something else entirely' })
  const path = '/v1/security-events'
  const [failed, created] = (await read(member, path)).body.data
  const since = await read(member, `${path}?since=${failed.occurred_at}`)
  const until = await read(member, `${path}?until=${failed.occurred_at}`)
  expect([idsOf(since), idsOf(until)]).toEqual([[failed.id], [created.id]])
  expect(idsOf(await read(member, `${path}?find=${created.id}`))).toEqual([created.id])
  const [header, ...lines] = linesOf(await table(member, path))
  expect(header).toBe(
    'id,account_id,action,actor,safe_context.request_id,safe_context.ip_prefix,safe_context.ua_family,safe_context.method,safe_context.reason,occurred_at',
  )
  expect(lines.map(line => line.slice(0, 36))).toEqual([failed.id, created.id])
  expect(linesOf(await table(auditor, `${path}?account_id=${member.id}`))).toHaveLength(3)
  expect(await exportsOf(member)).toEqual([[auditor.id, path]])
})

test.concurrent(
  'sessions of another are exported on record, and found by their holder',
  async () => {
    const member = await world.member()
    const administrator = await world.member(member.tenant)
    await world.give(administrator, 'session_administrator')
    const path = '/v1/accounts/{account_id}/sessions'
    const of_member = path.replace('{account_id}', member.id)
    const [header, ...lines] = linesOf(await table(administrator, of_member))
    expect(header).toBe(
      'id,account_id,created_at,last_seen_at,expires_at,revoked_at,client_metadata.device_name,client_metadata.ua_family,client_metadata.ip_prefix,client_id,client,current',
    )
    expect(lines.map(line => line.slice(0, 36))).toEqual([member.session_id])
    expect(lines[0]).toMatch(/,false$/)
    expect(linesOf(await table(member, '/v1/sessions'))[1]).toMatch(/,true$/)
    await table(member, of_member)
    expect(await exportsOf(member)).toEqual([[administrator.id, path]])
    const find = `find=${member.session_id}`
    expect(idsOf(await read(member, `/v1/sessions?${find}`))).toEqual([member.session_id])
    expect(idsOf(await read(administrator, `/v1/sessions?${find}`))).toEqual([])
    const others = await table(member, `/v1/accounts/${administrator.id}/sessions`)
    expect([others.status, others.body.code]).toEqual([403, 'permission_denied'])
  },
)
