/** Security events: one's own for everybody, the tenant's for auditors, and nothing secret in any. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

function read({ token }: Pick<Member, 'token'>, query = '') {
  return world.call('GET', `/v1/security-events${query}`, { token })
}

const actions = (events: { action: string }[]) => events.map(one => one.action)

test.concurrent('everybody reads their own', async () => {
  const member = await world.member()
  await world.login({ ...member, password: 'something else entirely' })
  const { status, body } = await read(member)
  expect(status).toBe(200)
  expect(actions(body.data)).toEqual(['login.failed', 'session.created'])
  expect(body.data[1]).toMatchObject({
    account_id: member.id,
    actor: member.id,
    safe_context: { ip_prefix: '127.0.0.0/24', method: 'pwd' },
  })
  expect((await read(member, `?account_id=${member.id}`)).body.data).toHaveLength(2)
  expect(actions((await read(member, '?action=login.failed')).body.data)).toEqual(['login.failed'])
})

test.concurrent('others’ only with the permission and in the tenant', async () => {
  const [member, auditor, stranger] = [
    await world.member(),
    await world.member(),
    await world.member(),
  ]
  const colleague = await world.member(member.tenant)
  const refused = await read(colleague, `?account_id=${member.id}`)
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  await world.give(colleague, 'auditor')
  await world.give(auditor, 'auditor')
  expect((await read(colleague, `?account_id=${member.id}`)).body.data).toHaveLength(1)
  const all = (await read(colleague)).body.data as { account_id: string }[]
  expect(new Set(all.map(one => one.account_id))).toEqual(new Set([member.id, colleague.id]))
  expect((await read(colleague, `?account_id=${stranger.id}`)).body.data).toEqual([])
  expect((await read(auditor, `?account_id=${member.id}`)).body.data).toEqual([])
})

test.concurrent(
  'administrative acts are shown to the account concerned, page by page',
  async () => {
    const admin = await world.member()
    await world.give(admin, 'tenant_admin')
    const member = await world.member(admin.tenant)
    const role = `/v1/accounts/${member.id}/roles/auditor`
    await world.call('PUT', role, { token: admin.token })
    await world.call('DELETE', role, { token: admin.token })
    const seen: { action: string; actor: string; id: string }[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await read(member, `?limit=1${query}`)
      seen.push(...body.data)
      cursor = body.next_cursor
    }
    expect(actions(seen)).toEqual(['role.revoked', 'role.assigned', 'session.created'])
    expect(seen.slice(0, 2).map(one => one.actor)).toEqual([admin.id, admin.id])
    expect((await read(member, '?limit=0')).status).toBe(422)
    expect((await read(member, '?limit=101')).status).toBe(422)
  },
)

test.concurrent('no event holds an address, a password or a token', async () => {
  const member = await world.member()
  await world.login({ ...member, password: 'something else entirely' })
  const { text } = await read(member)
  for (const secret of [member.email, member.password, member.token, member.refresh_token])
    expect(text).not.toContain(secret)
  expect(text).not.toMatch(/"127\.0\.0\.1"/)
})

test.concurrent('who ended a session, and why, is on record', async () => {
  const member = await world.member()
  const administrator = await world.member(member.tenant)
  await world.give(administrator, 'session_administrator')
  const other = (await world.login(member)).body
  const path = `/v1/sessions/${other.session_id}`
  expect((await world.call('DELETE', path, { token: other.access_token })).status).toBe(204)
  // A repeat ends nothing.
  expect((await world.call('DELETE', path, { token: other.access_token })).status).toBe(204)
  const all = `/v1/accounts/${member.id}/sessions`
  expect((await world.call('DELETE', all, { token: administrator.token })).status).toBe(204)
  const again = (await world.login(member)).body
  const { body } = await world.call('GET', '/v1/security-events?action=session.revoked', {
    token: again.access_token,
  })
  expect(body.data).toMatchObject([
    { actor: administrator.id, safe_context: { reason: 'admin' } },
    { actor: member.id, safe_context: { reason: 'logout' } },
  ])
  expect(body.data).toHaveLength(2)
})
