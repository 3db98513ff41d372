/**
 * Rotation: racing and lost refreshes get one successor, a token that comes back otherwise ends its
 * session, garbage ends none, and a crash after the commit leaves the old token good for its successor.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { killedAt } from '../../../../test/crash.ts'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { retain } from '../../../kernel/work/retention.ts'

const world = await openProductWorld()
const strict = await openProductWorld({ IDENTITY_REFRESH_GRACE_SECONDS: '0' })
afterAll(() => Promise.all([world.close(), strict.close()]))

type Who = Pick<Member, 'session_id' | 'refresh_token'>

function refresh(
  { session_id, refresh_token }: Who,
  at = world,
  more: Record<string, unknown> = {},
) {
  return at.call('POST', `/v1/sessions/${session_id}/refresh`, {
    body: { refresh_token, ...more },
  })
}

function unused(session_id: string, at = world) {
  return at.platform.kernel.db.many(
    Type.Object({ id_hash: Type.Any() }),
    sql`
      select id_hash from identity.refresh_tokens
      where session_id = ${session_id} and used_at is null`,
  )
}

async function isEnded(member: Member, at = world): Promise<boolean> {
  const { alive } = await at.platform.kernel.db.one(
    Type.Object({ alive: Type.Boolean() }),
    sql`select revoked_at is null as alive from identity.sessions where id = ${member.session_id}`,
  )
  return !alive
}

describe.concurrent('a refresh token', () => {
  test('shown 25 times at once has one successor', async () => {
    const member = await world.member()
    const all = await Promise.all(Array.from({ length: 25 }, () => refresh(member)))
    expect(all.map(one => one.status)).toEqual(Array.from({ length: 25 }, () => 200))
    expect(new Set(all.map(one => one.body.refresh_token)).size).toBe(1)
    expect(await unused(member.session_id)).toHaveLength(1)
    const [first] = all
    const next = { ...member, refresh_token: first?.body.refresh_token as string }
    expect((await refresh(next)).status).toBe(200)
  })

  test('whose answer was lost gives the same successor again', async () => {
    const member = await world.member()
    const stop = new AbortController()
    const lost = fetch(`${world.url}/v1/sessions/${member.session_id}/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: member.refresh_token }),
      signal: stop.signal,
    })
    const { headers } = await lost
    expect(headers.get('content-type')).toContain('json')
    stop.abort()
    const [leaf] = await unused(member.session_id)
    const retried = await refresh(member)
    expect(retried.status).toBe(200)
    expect(await unused(member.session_id)).toEqual([leaf])
    expect((await refresh({ ...member, ...retried.body })).status).toBe(200)
  })

  test('that comes back after the grace ends the session and its newest token', async () => {
    const member = await strict.member()
    const next = (await refresh(member, strict)).body
    const reused = await refresh(member, strict)
    expect(reused.status).toBe(401)
    expect(reused.body.code).toBe('invalid_refresh_token')
    expect(await isEnded(member, strict)).toBe(true)
    expect((await refresh({ ...member, ...next }, strict)).status).toBe(401)
    expect((await strict.call('GET', '/v1/me', { token: next.access_token })).status).toBe(401)
    expect((await strict.mails(member.email)).at(-1)?.template).toBe('sessions_ended')
  })

  test('of the generation before the last ends the session within the grace too', async () => {
    const member = await world.member()
    const second = (await refresh(member)).body
    await refresh({ ...member, ...second })
    expect((await refresh(member)).status).toBe(401)
    expect(await isEnded(member)).toBe(true)
  })

  test('of ten generations ago is still known as ours', async () => {
    const member = await world.member()
    const { session_id } = member
    let { refresh_token } = member
    for (let n = 0; n < 10; n++) {
      refresh_token = (await refresh({ session_id, refresh_token })).body.refresh_token
    }
    expect((await refresh(member)).status).toBe(401)
    expect(await isEnded(member)).toBe(true)
    expect((await refresh({ session_id, refresh_token })).status).toBe(401)
  })

  test('that was made up ends no session', async () => {
    const member = await world.member()
    expect((await refresh({ ...member, refresh_token: `rt_${'A'.repeat(75)}` })).status).toBe(401)
    const bytes = Buffer.from(member.refresh_token.slice(3), 'base64url')
    for (const at of [16, 55]) {
      const forged = Buffer.from(bytes)
      forged[at] = (forged[at] ?? 0) ^ 1
      const refresh_token = `rt_${forged.toString('base64url')}`
      expect((await refresh({ ...member, refresh_token })).status).toBe(401)
    }
    const other = await world.member()
    const crossed = await refresh({ ...member, refresh_token: other.refresh_token })
    expect(crossed.status).toBe(401)
    expect(await isEnded(member)).toBe(false)
    expect(await isEnded(other)).toBe(false)
    expect((await refresh(member)).status).toBe(200)
  })

  test('turns the session only to a tenant in which the account holds a role', async () => {
    const member = await world.member()
    const elsewhere = await world.tenant()
    const refused = await refresh(member, world, { tenant_id: elsewhere.id })
    expect(refused.status).toBe(403)
    await world.platform.kernel.db.run(sql`
      insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
      values (${member.id}, ${elsewhere.id}, 'auditor', 'system')`)
    const turned = await refresh(member, world, { tenant_id: elsewhere.id })
    expect(turned.body.tenant_id).toBe(elsewhere.id)
  })

  test('sent again within the grace turns the session too, and only where it may', async () => {
    const member = await world.member()
    const [elsewhere, forbidden] = [await world.tenant(), await world.tenant()]
    await world.platform.kernel.db.run(sql`
      insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
      values (${member.id}, ${elsewhere.id}, 'auditor', 'system')`)
    const first = await refresh(member)
    expect(first.body.tenant_id).toBe(member.tenant.id)
    const refused = await refresh(member, world, { tenant_id: forbidden.id })
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    const turned = await refresh(member, world, { tenant_id: elsewhere.id })
    expect(turned.body).toMatchObject({
      tenant_id: elsewhere.id,
      refresh_token: first.body.refresh_token,
    })
    const { guest_of } = await world.platform.kernel.db.one(
      Type.Object({ guest_of: Type.Array(Type.String()) }),
      sql`select guest_of from identity.sessions where id = ${member.session_id}`,
    )
    expect(guest_of).toEqual([elsewhere.id])
    const home = await refresh(member, world, { tenant_id: member.tenant.id })
    expect(home.body.tenant_id).toBe(member.tenant.id)
  })
})

test('a process killed before it answers leaves the old token good for the same successor', async () => {
  const member = await world.member()
  await killedAt(
    world,
    'identity.after_rotation',
    url =>
      call(url, 'POST', `/v1/sessions/${member.session_id}/refresh`, {
        body: { refresh_token: member.refresh_token },
      }),
    1,
    'product',
  )
  const [leaf, ...others] = await unused(member.session_id)
  expect(others).toEqual([])
  const retried = await refresh(member)
  expect(retried.status).toBe(200)
  expect(await unused(member.session_id)).toEqual([leaf])
  expect((await refresh({ ...member, ...retried.body })).status).toBe(200)
})

test('a session may refresh so often in a minute and no more, another one still may', async () => {
  const paced = await openProductWorld({
    IDENTITY_REFRESHES_PER_MINUTE: '2',
    KERNEL_RATE_FACTOR: '1',
  })
  const [member, other] = [await paced.member(), await paced.member()]
  const garbage = { ...member, refresh_token: `rt_${'A'.repeat(75)}` }
  for (let n = 0; n < 3; n++) expect((await refresh(garbage, paced)).status).toBe(401)
  const second = await refresh(member, paced)
  const third = await refresh({ ...member, ...second.body }, paced)
  expect([second.status, third.status]).toEqual([200, 200])
  const fourth = await refresh({ ...member, ...third.body }, paced)
  expect(fourth.body.code).toBe('rate_limited')
  expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await refresh(other, paced)).status).toBe(200)
  await paced.close()
})

test('a session that ended while its token was on the way gives nothing', async () => {
  const member = await world.member()
  await world.platform.kernel.db.run(sql`
    update identity.sessions set revoked_at = kernel.now(), revoked_reason = 'admin'
    where id = ${member.session_id}`)
  expect((await refresh(member)).body.code).toBe('invalid_refresh_token')
  expect(await unused(member.session_id)).toHaveLength(1)
})

test('a session is deleted 30 days after it has expired, and its tokens are refused', async () => {
  const [gone, kept] = [await world.member(), await world.member()]
  const { db } = world.platform.kernel
  await db.run(sql`
    update identity.sessions set expires_at = kernel.now() - interval '31 days'
    where id = ${gone.session_id}`)
  await db.run(sql`
    update identity.sessions set expires_at = kernel.now() - interval '29 days'
    where id = ${kept.session_id}`)
  const declared = world.platform.opened['identity']?.retention ?? []
  await retain(world.platform.kernel, declared, new AbortController().signal)
  const { left } = await db.one(
    Type.Object({ left: Type.Array(Type.String()) }),
    sql`
      select coalesce(array_agg(id), '{}') as left from identity.sessions
      where id in (${gone.session_id}, ${kept.session_id})`,
  )
  expect(left).toEqual([kept.session_id])
  expect(await unused(gone.session_id)).toEqual([])
  expect((await refresh(gone)).body.code).toBe('invalid_refresh_token')
})

test('an old token is still reuse after a restart', async () => {
  const member = await strict.member()
  const next = (await refresh(member, strict)).body
  const other = await startProcess({ ...strict.environment, ROLES: 'api' }, 'product')
  const ask = (refresh_token: string) =>
    call(other.url, 'POST', `/v1/sessions/${member.session_id}/refresh`, {
      body: { refresh_token },
    })
  expect((await ask(member.refresh_token)).status).toBe(401)
  expect((await ask(next.refresh_token)).status).toBe(401)
  await other.kill()
})
