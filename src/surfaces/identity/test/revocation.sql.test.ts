/** A revocation reaches every process within about a second, also where its wake-up is lost. */
import { afterAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { openSigningKeys } from '../keys/signing-keys.ts'
import { openDenied } from '../sessions/revocation-list.ts'
import { settings } from '../settings.ts'
import { announced } from './announced.ts'

// What waits for the locked sessions ends soon.
const world = await openProductWorld({ KERNEL_STATEMENT_TIMEOUT_MS: '1000' })
const other = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
afterAll(async () => {
  await other.kill()
  await world.close()
})

/** Generous beside the promised second, so that a busy machine fails no test. */
const bound_ms = 5000

const here = async (token: string) => (await world.call('GET', '/v1/me', { token })).status
const there = async (token: string) => (await call(other.url, 'GET', '/v1/me', { token })).status

describe.concurrent('a session that is revoked', () => {
  test('in one process is refused there at once and in the other soon', async () => {
    const member = await world.member()
    expect([await here(member.token), await there(member.token)]).toEqual([200, 200])
    const path = `/v1/accounts/${member.id}/sessions`
    expect((await world.call('DELETE', path, { token: member.token })).status).toBe(204)
    expect(await here(member.token)).toBe(401)
    await eventually('the other refuses', async () => (await there(member.token)) === 401, bound_ms)
  })

  test('without a wake-up is refused by both', async () => {
    const member = await world.member()
    expect([await here(member.token), await there(member.token)]).toEqual([200, 200])
    await revokeUnheard(member.session_id, 0)
    await eventually(
      'both refuse',
      async () => {
        const both = [await here(member.token), await there(member.token)]
        return both.every(status => status === 401)
      },
      bound_ms,
    )
  })

  test('by a transaction that stays open for three seconds is refused by both', async () => {
    const member = await world.member()
    expect([await here(member.token), await there(member.token)]).toEqual([200, 200])
    await revokeUnheard(member.session_id, 3)
    await eventually(
      'both refuse',
      async () => {
        const both = [await here(member.token), await there(member.token)]
        return both.every(status => status === 401)
      },
      bound_ms,
    )
  })

  test('is refused by a process that starts afterwards', async () => {
    const member = await world.member()
    const path = `/v1/sessions/${member.session_id}`
    const ended = await world.call('DELETE', path, { token: member.token })
    expect(ended.status, ended.text).toBe(204)
    const late = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
    const { status } = await call(late.url, 'GET', '/v1/me', { token: member.token })
    await late.kill()
    expect(status).toBe(401)
  })
})

test('a log-out while the ended sessions cannot be read is refused, and ends the session when repeated', async () => {
  const member = await world.member()
  const { token, session_id } = member
  const ask = (method: string, path: string) => world.call(method, path, { token })
  const [ended, current] = await whileLocked('identity.sessions', async () => {
    // The first request lasts until its time limit. Then the last read is too old.
    for (let request = 0; request < 2; request++) expect(await here(token)).toBe(503)
    return [
      await ask('DELETE', `/v1/sessions/${session_id}`),
      await ask('GET', '/v1/sessions/current'),
    ]
  })
  expect([ended.status, current.status]).toEqual([503, 503])
  expect(await here(token)).toBe(200)
  expect((await ask('DELETE', `/v1/sessions/${session_id}`)).status).toBe(204)
  expect(await here(token)).toBe(401)
})

test('the list is not valid while a change of which the pulse learnt cannot be read', async () => {
  const kernel = world.platform.kernelFor({ settings })
  const keys = openSigningKeys(kernel)
  await keys.prepare()
  const denied = openDenied(kernel, keys)
  await denied.start()
  const { sign } = denied
  const ended = await whileLocked('identity.sessions', () => {
    kernel.wake([sign.topic])
    return eventually('the list is not valid', () => {
      // The pulse finds the same value from then on.
      if ('value' in sign) sign.same?.(performance.now())
      return !denied.isValid()
    })
  })
  expect(ended).toBe(true)
  await eventually('the list is read', async () => {
    await denied.validate().catch(() => {})
    return denied.isValid()
  })
  await denied.stop()
})

test('a process that starts reads what was revoked within the life of a token', async () => {
  const { session_id, tenant } = await world.member()
  await onDatabase(
    `update identity.sessions set revoked_at = kernel.now() - interval '4 minutes',
       revoked_reason = 'admin' where id = $1`,
    [session_id],
  )
  const kernel = world.platform.kernelFor({ settings })
  const keys = openSigningKeys(kernel)
  await keys.prepare()
  const denied = openDenied(kernel, keys)
  await denied.start()
  expect(await denied.hasEnded(session_id, tenant.id)).toBe(true)
  await denied.stop()
})

test('a role that is taken away counts no more in the next request', async () => {
  const member = await world.member()
  await world.give(member, 'session_administrator')
  const victim = await world.member(member.tenant)
  const list = () =>
    world.call('GET', `/v1/accounts/${victim.id}/sessions`, { token: member.token })
  expect((await list()).status).toBe(200)
  await onDatabase('delete from identity.role_assignments where account_id = $1', [member.id])
  expect((await list()).status).toBe(403)
})

type Guest = { readonly host: Member; readonly guest: Member }

/** A member with one role in the tenant of another, who may give and take roles there. */
async function guestOf(host: Member, role = 'auditor'): Promise<Guest> {
  const guest = await world.member()
  await world.give(host, 'tenant_admin', 'platform_operator')
  const body = { tenant_id: host.tenant.id }
  const path = `/v1/accounts/${guest.id}/roles/${role}`
  expect((await world.call('PUT', path, { token: host.token, body })).status).toBe(204)
  return { host, guest }
}

const take = ({ host, guest }: Guest, role = 'auditor') =>
  world.call('DELETE', `/v1/accounts/${guest.id}/roles/${role}`, { token: host.token })

type Tokens = Pick<Member, 'session_id' | 'refresh_token'>

const refresh = ({ session_id, refresh_token }: Tokens, tenant_id?: string) =>
  world.call('POST', `/v1/sessions/${session_id}/refresh`, {
    body: { refresh_token, ...(tenant_id && { tenant_id }) },
  })

describe.concurrent('with the last role in another tenant', () => {
  test('every session that worked there ends, in this process at once and in the other soon', async () => {
    const { host, guest } = await guestOf(await world.member())
    await world.give({ ...guest, tenant: host.tenant }, 'support_viewer')
    const inside = (await refresh(guest, host.tenant.id)).body
    expect(inside.tenant_id).toBe(host.tenant.id)
    const back = (await refresh(inside, guest.tenant.id)).body
    const second = (await world.login(guest)).body
    const stays = (await refresh((await world.login(guest)).body)).body
    const turned = (await refresh(second, host.tenant.id)).body

    expect((await take({ host, guest })).status).toBe(204)
    const tokens: string[] = [inside.access_token, back.access_token, turned.access_token]
    for (const token of tokens) expect([await here(token), await there(token)]).toEqual([200, 200])

    expect((await take({ host, guest }, 'support_viewer')).status).toBe(204)
    for (const token of tokens) {
      expect(await here(token)).toBe(401)
      await eventually('the other refuses', async () => (await there(token)) === 401, bound_ms)
    }
    expect((await refresh(turned)).status).toBe(401)
    expect((await refresh(back)).status).toBe(401)
    expect(await announced(world, 'session.revoked', turned.session_id)).toEqual([
      { session_id: turned.session_id, account_id: guest.id, reason: 'membership_ended' },
    ])
    // What never worked there is none of that tenant's business.
    expect([await here(stays.access_token), await there(stays.access_token)]).toEqual([200, 200])
    const refused = await refresh(stays, host.tenant.id)
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    expect((await refresh(stays)).body.tenant_id).toBe(guest.tenant.id)
  })

  test('a refresh that races it gets no token that is good there', async () => {
    const host = await world.member()
    const guests = await Promise.all(Array.from({ length: 8 }, () => guestOf(host)))
    await Promise.all(
      guests.map(async ({ guest }) => {
        const [turned] = await Promise.all([refresh(guest, host.tenant.id), take({ host, guest })])
        const ended = turned.status === 200 ? await here(turned.body.access_token) : turned.status
        expect([401, 403]).toContain(ended)
      }),
    )
  })

  test('a row that is gone by itself leaves neither permissions nor a refresh', async () => {
    const { host, guest } = await guestOf(await world.member())
    const inside = (await refresh(guest, host.tenant.id)).body
    await onDatabase('delete from identity.role_assignments where account_id = $1', [guest.id])
    const me = await world.call('GET', '/v1/me', { token: inside.access_token })
    expect(me.body.permissions).toEqual([])
    expect((await refresh(inside)).status).toBe(401)
    expect((await refresh(inside, guest.tenant.id)).body.tenant_id).toBe(guest.tenant.id)
  })
})

test('a tenant that is disabled ends the sessions of its guests and takes no more', async () => {
  const { host, guest } = await guestOf(await world.member())
  const inside = (await refresh(guest, host.tenant.id)).body
  const back = (await refresh(inside, guest.tenant.id)).body
  const later = (await world.login(guest)).body
  const operator = await world.member()
  await world.give(operator, 'platform_operator')
  const disabled = await world.call('PATCH', `/v1/tenants/${host.tenant.id}`, {
    token: operator.token,
    body: { state: 'disabled' },
  })
  expect(disabled.status).toBe(200)
  expect([await here(inside.access_token), await here(back.access_token)]).toEqual([401, 401])
  expect((await refresh(later, host.tenant.id)).body.code).toBe('permission_denied')
  expect((await refresh(later)).status).toBe(200)
})

test('an administrator of one tenant does not find the accounts of another', async () => {
  const administrator = await world.member()
  await world.give(administrator, 'session_administrator')
  const stranger = await world.member()
  const { token } = administrator
  for (const [method, path, code] of [
    ['GET', `/v1/accounts/${stranger.id}/sessions`, 'account_not_found'],
    ['DELETE', `/v1/accounts/${stranger.id}/sessions`, 'account_not_found'],
    ['DELETE', `/v1/sessions/${stranger.session_id}`, 'session_not_found'],
  ] as const) {
    const answer = await world.call(method, path, { token })
    expect([answer.status, answer.body.code]).toEqual([404, code])
  }
  expect(await here(stranger.token)).toBe(200)
})

/** Straight in the database, as a process would whose notifications are lost. */
async function revokeUnheard(session_id: string, open_seconds: number): Promise<void> {
  await onDatabase(
    `with ended as (update identity.sessions set revoked_at = kernel.now(),
        revoked_reason = 'admin' where id = $1 returning id)
     select pg_sleep($2) from ended`,
    [session_id, open_seconds],
  )
}

/** No other connection can read the table meanwhile. */
async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  try {
    // Requests wait for the table longer than a transaction may be idle.
    await client.query(`set idle_in_transaction_session_timeout = 0`)
    await client.query(`begin; lock table ${table} in access exclusive mode`)
    return await work()
  } finally {
    await client.end()
  }
}

async function onDatabase(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query(text, values)
  await client.end()
}
