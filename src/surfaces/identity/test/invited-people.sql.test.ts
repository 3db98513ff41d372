/** People who were invited, and register instead of following the invitation. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'
import { newId } from '../../../kernel/ids.ts'
import { announced } from './announced.ts'

const world = await openProductWorld()
afterAll(() => world.close())

async function administrator(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const invite = (admin: Member, body: object) =>
  world.call('POST', '/v1/invitations', { token: admin.token, body })

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
  const emails = [1, 2].map(() => `i-${newId()}@example.test`) as [string, string]
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
