/** Administration of accounts: within the tenant, by version, and in force with its commit. */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { announced, audited } from './announced.ts'
import { ownDomain } from './organization-world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

async function administrator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

function turn(admin: Member, id: string, status: string, headers: Record<string, string> = {}) {
  return world.call('PATCH', `/v1/accounts/${id}`, {
    token: admin.token,
    body: { status },
    headers,
  })
}

describe.concurrent('seeing', () => {
  test('the accounts of the tenant, by state and address, page by page', async () => {
    const admin = await administrator()
    const people = await Promise.all([1, 2, 3, 4].map(() => world.member(admin.tenant)))
    const stranger = await world.member()
    const [first] = people
    await turn(admin, first?.id ?? '', 'disabled')
    const list = async (query: string) => {
      const { body } = await world.call('GET', `/v1/accounts?${query}`, { token: admin.token })
      return body.data.map((one: { id: string }) => one.id)
    }
    expect(await list('status=disabled')).toEqual([first?.id])
    expect(await list(`email=${encodeURIComponent(`  ${admin.email.toUpperCase()} `)}`)).toEqual([
      admin.id,
    ])
    expect(await list('email=nobody')).toEqual([])
    expect(await list(`email=${encodeURIComponent(stranger.email)}`)).toEqual([])
    const all: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await world.call('GET', `/v1/accounts?limit=2${query}`, {
        token: admin.token,
      })
      all.push(...body.data.map((one: { id: string }) => one.id))
      cursor = body.next_cursor
    }
    expect(new Set(all)).toEqual(new Set([admin.id, ...people.map(one => one.id)]))
    expect(all).toHaveLength(5)
    const page = await world.call('GET', '/v1/accounts?limit=2', { token: admin.token })
    const moved = `/v1/accounts?limit=2&status=active&cursor=${page.body.next_cursor}`
    const refused = await world.call('GET', moved, { token: admin.token })
    expect(refused.body.code).toBe('invalid_cursor')
  })

  test('one account shows its roles; another tenant’s is not there', async () => {
    const [admin, stranger] = [await administrator(), await world.member()]
    const mine = await world.call('GET', `/v1/accounts/${admin.id}`, { token: admin.token })
    expect(mine.body).toMatchObject({ id: admin.id, role_ids: ['tenant_admin'], status: 'active' })
    expect(mine.headers.get('etag')).toMatch(/^"\d+"$/)
    for (const id of [stranger.id, newId(), 'x']) {
      const ask = { token: admin.token }
      const answers = await Promise.all([
        world.call('GET', `/v1/accounts/${id}`, ask),
        world.call('PATCH', `/v1/accounts/${id}`, { ...ask, body: { status: 'disabled' } }),
        world.call('DELETE', `/v1/accounts/${id}`, ask),
      ])
      expect(answers.map(one => one.body.code)).toEqual(answers.map(() => 'account_not_found'))
    }
    expect((await world.login(stranger)).status).toBe(201)
  })

  test('members have no administrative permissions', async () => {
    const { token, id, tenant } = await world.member()
    const other = await world.member(tenant)
    const answers = await Promise.all([
      world.call('GET', '/v1/accounts', { token }),
      world.call('GET', `/v1/accounts/${id}`, { token }),
      world.call('PATCH', `/v1/accounts/${other.id}`, { token, body: { status: 'disabled' } }),
      world.call('DELETE', `/v1/accounts/${other.id}`, { token }),
      world.call('POST', '/v1/invitations', { token, body: { email: 'a@example.test' } }),
    ])
    expect(answers.map(one => one.status)).toEqual([403, 403, 403, 403, 403])
  })
})

describe.concurrent('disabling', () => {
  test('ends the sessions in the same commit and tells once', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    const answers = await Promise.all([1, 2, 3].map(() => turn(admin, member.id, 'disabled')))
    expect(answers.map(one => `${one.status} ${one.body.status}`)).toEqual(
      Array.from({ length: 3 }, () => '200 disabled'),
    )
    const refused = await Promise.all([
      world.call('GET', '/v1/me', { token: member.token }),
      world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
        body: { refresh_token: member.refresh_token },
      }),
      world.login(member),
    ])
    expect(refused.map(one => one.status)).toEqual([401, 401, 401])
    const change = { account_id: member.id, from: 'active', to: 'disabled' }
    expect(await announced(world, 'account.status_changed', member.id)).toMatchObject([change])
    expect(await announced(world, 'session.revoked', member.session_id)).toMatchObject([
      { reason: 'account_disabled' },
    ])
    expect((await turn(admin, member.id, 'active')).body.status).toBe('active')
    expect((await world.login(member)).status).toBe(201)
    const acts = ['identity.accounts.disable', 'identity.accounts.enable']
    expect(await audited(world, member.id)).toEqual(acts)
  })

  test('leaves no session of a login that raced it', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    const logins = Array.from({ length: 6 }, () => world.login(member))
    expect((await turn(admin, member.id, 'disabled')).status).toBe(200)
    for (const { status, body } of await Promise.all(logins)) {
      expect([201, 401]).toContain(status)
      if (status !== 201) continue
      expect(await world.identity.sessionAlive(body.session_id)).toBe(false)
    }
  })

  test('of two at once with one version one wins', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    const seen = await world.call('GET', `/v1/accounts/${member.id}`, { token: admin.token })
    const tag = { 'if-match': seen.headers.get('etag') ?? '' }
    const [one, other] = await Promise.all([
      turn(admin, member.id, 'disabled', tag),
      turn(admin, member.id, 'disabled', tag),
    ])
    expect([one.status, other.status].sort((a, b) => a - b)).toEqual([200, 412])
  })
})

describe.concurrent('erasing', () => {
  test('ends everything of an account, and again changes nothing', async () => {
    const admin = await administrator()
    const member = await world.member(admin.tenant)
    await world.give(member, 'auditor')
    const erase = () => world.call('DELETE', `/v1/accounts/${member.id}`, { token: admin.token })
    const answers = await Promise.all([erase(), erase()])
    expect(answers.map(one => one.status)).toEqual([204, 204])
    expect((await world.login(member)).status).toBe(401)
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
    const gone = await world.call('GET', `/v1/accounts/${member.id}`, { token: admin.token })
    expect(gone.body.code).toBe('account_not_found')
    const { text } = await world.call('GET', '/v1/accounts', { token: admin.token })
    expect(text).not.toContain(member.email)
    expect(await announced(world, 'account.deleted', member.id)).toHaveLength(1)
    expect(await audited(world, member.id)).toEqual(['identity.accounts.delete'])
    const role = `/v1/accounts/${member.id}/roles/auditor`
    expect((await world.call('PUT', role, { token: admin.token })).status).toBe(404)
  })

  test('oneself needs no permission', async () => {
    const member = await world.member()
    const path = `/v1/accounts/${member.id}`
    expect((await world.call('DELETE', path, { token: member.token })).status).toBe(204)
    expect((await world.login(member)).status).toBe(401)
  })
})

describe.concurrent('inviting', () => {
  const invite = (admin: Member, body: object) =>
    world.call('POST', '/v1/invitations', { token: admin.token, body })

  test('makes an account that the mailed token opens, with its roles', async () => {
    const admin = await administrator()
    const email = `i-${newId()}@${await ownDomain(world, admin)}`
    const made = await invite(admin, { email, role_ids: ['auditor'] })
    expect([made.status, made.body.status]).toEqual([201, 'invited'])
    expect(made.headers.get('location')).toBe(`/v1/accounts/${made.body.id}`)
    const guest = { email, password, tenant: admin.tenant }
    expect((await world.login(guest)).status).toBe(401)
    const [mail] = await world.mails(email)
    expect(mail).toMatchObject({ template: 'invite', address: email })
    const reset = { token: mail?.token, new_password: password }
    const set = await world.call('POST', '/v1/password-resets', { body: reset })
    expect(set.status).toBe(204)
    const { status, body } = await world.login(guest)
    expect([status, body.account_id]).toEqual([201, made.body.id])
    const roles = await world.call('GET', '/v1/roles', { token: body.access_token })
    expect(roles.status).toBe(200)
    const again = await invite(admin, { email })
    expect([again.status, again.body.code]).toEqual([409, 'already_exists'])
    expect(again.body.detail).toContain('An account has this address.')
  })

  test('gives a role only while its inviter may assign it', async () => {
    const [leaver, stayer] = [await administrator(), await administrator()]
    await world.give(await world.member(leaver.tenant), 'tenant_admin')
    const accept = async (email: string) => {
      const [mail] = await world.mails(email)
      const body = { token: mail?.token, new_password: password }
      expect((await world.call('POST', '/v1/password-resets', { body })).status).toBe(204)
    }
    const held = async (admin: Member, id: string) =>
      (await world.call('GET', `/v1/accounts/${id}`, { token: admin.token })).body.role_ids
    const email = `i-${newId()}@${await ownDomain(world, leaver)}`
    const { id } = (await invite(leaver, { email, role_ids: ['auditor', 'support_viewer'] })).body
    const successor = await world.member(leaver.tenant)
    await world.give(successor, 'tenant_admin')
    // The successor invites again, with one of the two roles.
    const again = await invite(successor, { email, role_ids: ['auditor'] })
    expect(again.status).toBe(200)
    const path = `/v1/accounts/${leaver.id}/roles/tenant_admin`
    expect((await world.call('DELETE', path, { token: leaver.token })).status).toBe(204)
    expect(await held(successor, id)).toEqual(['auditor', 'support_viewer'])
    await accept(email)
    expect(await held(successor, id)).toEqual(['auditor'])
    expect(await announced(world, 'role.revoked', id)).toMatchObject([
      { role_id: 'support_viewer', actor: 'system:invitation' },
    ])

    const other = `i-${newId()}@${await ownDomain(world, stayer)}`
    const made = await invite(stayer, { email: other, role_ids: ['auditor'] })
    await accept(other)
    expect(await held(stayer, made.body.id)).toEqual(['auditor'])
  })

  test('again sends a new token and ends the old one', async () => {
    const admin = await administrator()
    const email = `i-${newId()}@${await ownDomain(world, admin)}`
    const made = await invite(admin, { email })
    const [old] = await world.mails(email)
    const again = await invite(admin, { email })
    expect([again.status, again.body.id]).toEqual([200, made.body.id])
    const left = await world.mails(email)
    expect(left).toHaveLength(1)
    const use = (token: unknown) =>
      world.call('POST', '/v1/password-resets', { body: { token, new_password: password } })
    expect((await use(old?.token)).body.code).toBe('one_time_token_invalid')
    expect((await use(left[0]?.token)).status).toBe(204)
  })

  test('at once makes one account', async () => {
    const admin = await administrator()
    const email = `i-${newId()}@${await ownDomain(world, admin)}`
    const answers = await Promise.all([1, 2, 3, 4].map(() => invite(admin, { email })))
    expect(answers.filter(one => one.status === 201)).toHaveLength(1)
    expect(new Set(answers.map(one => one.body.id)).size).toBe(1)
    expect(await world.mails(email)).toHaveLength(1)
  })

  test('gives no role that the inviter may not give', async () => {
    const admin = await administrator()
    const email = `i-${newId()}@${await ownDomain(world, admin)}`
    const beyond = await invite(admin, { email, role_ids: ['platform_operator'] })
    expect([beyond.status, beyond.body.code]).toEqual([403, 'permission_denied'])
    const unknown = await invite(admin, { email, role_ids: ['no_such_role'] })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'role_not_found'])
    const none = await invite(admin, { email: 'not an address' })
    expect([none.status, none.body.detail]).toEqual([
      422,
      'This is not an email address. Send one such as ann@example.com.',
    ])
    const { body } = await world.call('GET', '/v1/accounts?status=invited', { token: admin.token })
    expect(body.data).toEqual([])
    expect(await world.mails(email)).toEqual([])
  })

  test('an address that another tenant has is another account', async () => {
    const [admin, stranger] = [await administrator(), await world.member()]
    await world.give(admin, 'platform_operator')
    const made = await invite(admin, { email: stranger.email })
    expect(made.status).toBe(201)
    expect(made.body.id).not.toBe(stranger.id)
    const enabled = await turn(admin, made.body.id, 'active')
    expect([enabled.status, enabled.body.code]).toEqual([409, 'invalid_transition'])
    expect((await world.login(stranger)).body.account_id).toBe(stranger.id)
  })
})
