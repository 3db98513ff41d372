/** Invitations of guests: for any address, seen and answered only by who has proven it. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { announced, audited } from './announced.ts'
import { organizationsOf, prove } from './organization-world.ts'

const world = await openProductWorld({
  KERNEL_RATE_FACTOR: '1',
  IDENTITY_INVITATIONS_PER_HOUR: '30',
  IDENTITY_MAILS_PER_RECIPIENT_PER_HOUR: '40',
  IDENTITY_MAILS_PER_RECIPIENT_OF_ALL_TENANTS_PER_HOUR: '40',
})
const { db } = world.platform.kernel
const { ask, proven, make, enter, invite, accept, join } = organizationsOf(world)
afterAll(() => world.close())

const mine = async ({ token }: Member) => (await ask(token, 'GET', '/v1/me/invitations')).body.data
const decline = ({ token }: Member, id: string) =>
  ask(token, 'POST', `/v1/me/invitations/${id}/decline`)

test.concurrent('known and unknown addresses are answered and mailed alike', async () => {
  const [maker, known] = [await proven(), await proven()]
  const org = await make(maker)
  const seen = []
  for (const email of [known.email, `nobody-${newId()}@example.test`]) {
    const { status, body } = await invite(org, email)
    const { id: _id, email: to, created_at: _at, expires_at: _until, ...rest } = body
    const mails = (await world.mails(email)).filter(one => one.template !== 'verify_address')
    const mailed = mails.map(({ template, token, link }) => ({ template, token, link }))
    expect(to).toBe(email)
    seen.push({ status, rest, mailed })
  }
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]).toMatchObject({
    status: 202,
    rest: { role_ids: ['member'], state: 'pending', invited_by: maker.id },
    mailed: [{ token: null, link: 'http://dodeca.test/account/organizations' }],
  })
})

test.concurrent('an account accepts once its address is proven, and becomes a guest', async () => {
  const [maker, guest] = [await proven(), await world.member()]
  const org = await make(maker)
  const invited = await invite(org, guest.email, { role_ids: ['auditor'] })
  const { id } = invited.body
  // Registered, but not proven: a stranger could have done that.
  expect(await mine(guest)).toEqual([])
  expect((await accept(guest, invited)).body.code).toBe('invitation_not_found')
  await prove(world, guest)
  const { body } = await world.login(guest)
  const person = { ...guest, token: body.access_token }
  expect(await mine(person)).toMatchObject([
    { id, tenant_id: org.id, slug: org.slug, role_ids: ['auditor'], state: 'pending' },
  ])
  const accepted = await accept(person, invited)
  expect([accepted.status, accepted.body.state]).toEqual([200, 'accepted'])
  expect((await accept(person, invited)).body).toEqual(accepted.body)
  expect((await decline(person, id)).body).toMatchObject({
    code: 'invalid_transition',
    current_state: 'accepted',
  })
  expect(await mine(person)).toEqual([])
  const tab = await enter(person, org.id)
  expect((await ask(tab.body.access_token, 'GET', '/v1/me')).body.roles).toEqual(['auditor'])
  expect(await announced(world, 'invitation.created', id)).toEqual([
    { invitation_id: id, state: 'pending' },
  ])
  expect(await announced(world, 'invitation.changed', id)).toEqual([
    { invitation_id: id, state: 'accepted' },
  ])
  expect(await audited(world, id)).toEqual([
    'identity.invitations.create',
    'identity.invitations.accepted',
  ])
  const listed = await ask(org.token, 'GET', '/v1/organization/invitations?state=accepted')
  expect(listed.body.data).toMatchObject([{ id, email: guest.email, state: 'accepted' }])
})

test.concurrent(
  'an invitation that races the proof of its address is there afterwards',
  async () => {
    const [maker, guest] = [await proven(), await world.member()]
    const org = await make(maker)
    const [invited] = await Promise.all([invite(org, guest.email), prove(world, guest)])
    const { body } = await world.login(guest)
    const person = { ...guest, token: body.access_token }
    expect(await mine(person)).toMatchObject([{ id: invited.body.id }])
    expect((await accept(person, invited)).status).toBe(200)
  },
)

test.concurrent('of 20 accepts at once one joins, and all are answered alike', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  const invited = await invite(org, guest.email, { role_ids: ['auditor', 'moderator'] })
  const answers = await Promise.all(Array.from({ length: 20 }, () => accept(guest, invited)))
  expect(new Set(answers.map(one => one.text)).size).toBe(1)
  expect(answers[0]?.status).toBe(200)
  expect(await announced(world, 'role.assigned', guest.id)).toHaveLength(2)
  expect(await announced(world, 'invitation.changed', invited.body.id)).toHaveLength(1)
})

test.concurrent('accepting and withdrawing at once end in one state', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  const invited = await invite(org, guest.email)
  const path = `/v1/organization/invitations/${invited.body.id}`
  const [accepted, withdrawn] = await Promise.all([
    accept(guest, invited),
    ask(org.token, 'DELETE', path),
  ])
  const joined = (await enter(guest, org.id)).status === 201
  expect([accepted.status, withdrawn.status]).toEqual(joined ? [200, 409] : [404, 204])
})

test.concurrent(
  'who declines, or whose invitation was withdrawn or expired, does not join',
  async () => {
    const [maker, guest] = [await proven(), await proven()]
    const org = await make(maker)
    const declined = await invite(org, guest.email)
    expect((await decline(guest, declined.body.id)).body.state).toBe('declined')
    expect((await accept(guest, declined)).body.code).toBe('invalid_transition')
    // Another one may come later.
    const withdrawn = await invite(org, guest.email)
    expect(withdrawn.body.id).not.toBe(declined.body.id)
    const path = `/v1/organization/invitations/${withdrawn.body.id}`
    for (let times = 0; times < 2; times++) {
      expect((await ask(org.token, 'DELETE', path)).status).toBe(204)
    }
    expect((await accept(guest, withdrawn)).body.code).toBe('invitation_not_found')
    expect((await world.mails(guest.email)).map(one => one.template)).not.toContain(
      'organization_invitation',
    )
    const late = await invite(org, guest.email)
    await db.run(sql`
    update identity.invitations set expires_at = kernel.now() - interval '1 second'
    where tenant_id = ${org.id} and id = ${late.body.id}`)
    expect((await accept(guest, late)).body).toMatchObject({ current_state: 'expired' })
    expect(await mine(guest)).toEqual([])
    const renewed = await invite(org, guest.email, { role_ids: ['auditor'] })
    expect(renewed.body).toMatchObject({
      id: late.body.id,
      state: 'pending',
      role_ids: ['auditor'],
    })
    expect((await accept(guest, renewed)).status).toBe(200)
  },
)

test.concurrent(
  'another organization, person or inviter without rights changes nothing',
  async () => {
    const [maker, guest, stranger, former] = await Promise.all([
      proven(),
      proven(),
      proven(),
      proven(),
    ])
    const [org, foreign] = [await make(maker), await make(stranger)]
    const invited = await invite(org, guest.email)
    const path = `/v1/organization/invitations/${invited.body.id}`
    expect((await ask(foreign.token, 'DELETE', path)).body.code).toBe('invitation_not_found')
    expect((await accept(stranger, invited)).body.code).toBe('invitation_not_found')
    const { body } = await ask(foreign.token, 'GET', '/v1/organization/invitations')
    expect(body.data).toEqual([])
    const inside = await join(org, former, 'tenant_admin')
    const plain = await join(org, guest)
    expect((await invite({ ...org, token: plain }, 'x@example.test')).status).toBe(403)
    // An inviter who has left brings nobody in.
    const friend = await proven()
    const theirs = await invite({ ...org, token: inside }, friend.email, { role_ids: ['auditor'] })
    const role = `/v1/accounts/${former.id}/roles/tenant_admin`
    await ask(org.token, 'PUT', `/v1/accounts/${former.id}/roles/auditor`)
    expect((await ask(org.token, 'DELETE', role)).status).toBe(204)
    expect((await accept(friend, theirs)).body.code).toBe('invalid_transition')
    expect((await enter(friend, org.id)).status).toBe(404)
    const again = await invite(org, friend.email, { role_ids: ['auditor'] })
    expect((await accept(friend, again)).status).toBe(200)
  },
)

test.concurrent('the invitation follows the address, and is erased with it', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  const invited = await invite(org, guest.email)
  const changed = `new-${newId()}@example.test`
  const begun = await world.call('POST', '/v1/email-changes', {
    token: guest.token,
    body: { email: changed, current_password: password },
  })
  expect(begun.status, begun.text).toBe(202)
  const mail = (await world.mails(changed)).at(-1)
  const proof = await ask(guest.token, 'POST', '/v1/email-verifications', { token: mail?.token })
  expect(proof.status, proof.text).toBe(201)
  const { body } = await world.login({ ...guest, email: changed })
  const moved = { ...guest, email: changed, token: body.access_token }
  // It is for whoever has the old address now.
  expect((await accept(moved, invited)).body.code).toBe('invitation_not_found')
  const next = await invite(org, changed)
  const exported = await ask(moved.token, 'GET', '/v1/me/export')
  expect(exported.text).toContain(next.body.id)
  expect(exported.text).not.toContain(invited.body.id)
  expect((await ask(moved.token, 'DELETE', `/v1/accounts/${guest.id}`)).status).toBe(204)
  const left = await db.many(
    Type.Object({ row: Type.String() }),
    sql`
      select i::text as row from identity.invitations i where i.email = ${changed}
      union all select m::text from identity.mails m where m.address = ${changed}`,
  )
  expect(left).toEqual([])
})

test.concurrent('an organization that is disabled takes nobody in', async () => {
  const [maker, guest] = [await proven(), await proven()]
  const org = await make(maker)
  const invited = await invite(org, guest.email)
  expect((await ask(org.token, 'DELETE', '/v1/organization')).status).toBe(204)
  expect(await mine(guest)).toEqual([])
  expect((await accept(guest, invited)).body.code).toBe('invitation_not_found')
  const mails = (await world.mails(guest.email)).map(one => one.template)
  expect(mails).not.toContain('organization_invitation')
})

test.concurrent('an organization sends only so many invitations in an hour', async () => {
  const org = await make(await proven())
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => invite(org, `many-${newId()}@example.test`)),
  )
  const limited = answers.filter(one => one.status === 429)
  expect(limited).toHaveLength(2)
  expect(limited[0]?.headers.get('retry-after')).not.toBeNull()
})

test.concurrent(
  'accounts of the tenant are made only in its own domain, or by an operator',
  async () => {
    const maker = await proven()
    const org = await make(maker)
    const own = (token: string, email: string) => ask(token, 'POST', '/v1/invitations', { email })
    const squatted = await own(org.token, `victim-${newId()}@bank.test`)
    expect([squatted.status, squatted.body.permission]).toEqual([403, 'identity.tenants.manage'])
    const domain = `${newId()}.test`
    const claimed = await ask(org.token, 'POST', '/v1/organization/domains', { domain })
    expect((await own(org.token, `ann@${domain}`)).status).toBe(403)
    const { record_name: name, record_value } = claimed.body
    await world.call('PUT', '/dev/dns', { body: { name, records: [record_value] } })
    const verify = `/v1/organization/domains/${claimed.body.id}/verify`
    expect((await ask(org.token, 'POST', verify)).body.state).toBe('verified')
    expect((await own(org.token, `Ann@${domain.toUpperCase()}`)).status).toBe(201)
    expect((await own(org.token, `ann@sub.${domain}`)).status).toBe(403)
    await world.give(maker, 'tenant_admin', 'platform_operator')
    expect((await own(maker.token, `victim-${newId()}@bank.test`)).status).toBe(201)
  },
)
