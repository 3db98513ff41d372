/** A revocation reaches every process within about a second, also where its wake-up is lost. */
import { afterAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { openProductWorld } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'

const world = await openProductWorld()
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
    await world.call('DELETE', `/v1/sessions/${member.session_id}`, { token: member.token })
    const late = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
    const { status } = await call(late.url, 'GET', '/v1/me', { token: member.token })
    await late.kill()
    expect(status).toBe(401)
  })
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

async function onDatabase(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  await client.query(text, values)
  await client.end()
}
