/** People who were invited, and register instead of following the invitation. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { announced } from './announced.ts'
import { ownDomain } from './organization-world.ts'

const world = await openProductWorld({ IDENTITY_EMAIL_SCOPE: 'global' })
afterAll(() => world.close())

async function administrator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const invite = (admin: Member, body: object) =>
  world.call('POST', '/v1/invitations', { token: admin.token, body })

test('an address with an account elsewhere is invited like an unknown one, and joins as a guest', async () => {
  const [admin, elsewhere] = [await administrator(), await world.member()]
  await ownDomain(world, admin, 'example.test')
  await world.platform.kernel.db.run(sql`
    update identity.accounts set verified_at = kernel.now()
    where tenant_id = ${elsewhere.tenant.id} and id = ${elsewhere.id}`)
  const here = { ...elsewhere, tenant: admin.tenant }
  expect((await world.login(here)).body.code).toBe('invalid_credentials')
  const unknown = `i-${newId()}@example.test`
  const seen: unknown[] = []
  for (const email of [elsewhere.email, unknown]) {
    const first = await invite(admin, { email, role_ids: ['auditor'] })
    const again = await invite(admin, { email })
    expect(again.body).toEqual(first.body)
    const { body: shown } = await world.call('GET', `/v1/accounts/${first.body.id}`, {
      token: admin.token,
    })
    const statuses = [first, again].map(({ status }) => status)
    const { id, email: _a, email_normalized: _b, created_at: _c, ...same } = shown
    expect(same).toMatchObject({ status: 'invited', role_ids: ['auditor'] })
    seen.push([statuses, same])
    expect(id).not.toBe(elsewhere.id)
  }
  expect(seen[0]).toEqual(seen[1])
  const mail = (await world.mails(elsewhere.email)).findLast(one => one.template === 'invite')
  const reset = { token: mail?.token, new_password: 'another long and honest password' }
  const accepted = await world.call('POST', '/v1/password-resets', { body: reset })
  expect(accepted.status, accepted.text).toBe(204)
  // The account elsewhere keeps its password, and works in the tenant with the role.
  const { body: session } = await world.login(here)
  const guest = await world.call('POST', `/v1/sessions/${session.session_id}/refresh`, {
    body: { refresh_token: session.refresh_token, tenant_id: admin.tenant.id },
  })
  expect(guest.status, guest.text).toBe(200)
  const me = await world.call('GET', '/v1/me', { token: guest.body.access_token })
  expect(me.body).toMatchObject({ id: elsewhere.id, roles: ['auditor'] })
  expect((await world.call('POST', '/v1/password-resets', { body: reset })).status).toBe(422)
})

test('the roles of an invited person who registers count only while the inviter may assign them', async () => {
  const [leaver, stayer] = [await administrator(), await administrator()]
  await world.give(await world.member(leaver.tenant), 'tenant_admin')
  const join = async ({ tenant }: Member, id: string, email: string) => {
    const body = { email, tenant: tenant.slug }
    const registered = await world.call('POST', '/v1/accounts', { body: { ...body, password } })
    expect(registered.status, registered.text).toBe(202)
    await world.call('POST', '/v1/email-verification-requests', { body })
    const mail = (await world.mails(email)).find(one => one.template === 'verify_address')
    const proof = { token: mail?.token, registration_id: registered.body.id }
    const proven = await world.call('POST', '/v1/email-verifications', { body: proof })
    expect(proven.body.account_id, proven.text).toBe(id)
    const logged_in = await world.login({ email, password, tenant })
    const { body: me } = await world.call('GET', '/v1/me', {
      token: logged_in.body.access_token,
    })
    return me.roles
  }
  const invitee = async (admin: Member) => `i-${newId()}@${await ownDomain(world, admin)}`
  const emails = [await invitee(leaver), await invitee(stayer)] as const
  const [lost, kept] = await Promise.all(
    [leaver, stayer].map(async (admin, at) => {
      const asked = { email: emails[at], role_ids: ['auditor'] }
      return (await invite(admin, asked)).body.id as string
    }),
  )
  const path = `/v1/accounts/${leaver.id}/roles/tenant_admin`
  expect((await world.call('DELETE', path, { token: leaver.token })).status).toBe(204)
  expect(await join(leaver, lost ?? '', emails[0])).toEqual([])
  expect(await join(stayer, kept ?? '', emails[1])).toEqual(['auditor'])
  expect(await announced(world, 'account.status_changed', kept ?? '')).toMatchObject([
    { from: 'invited', to: 'active', reason: 'invitation_accepted' },
  ])
})
