/**
 * No reply reveals whether an address has an account, no account owns an address before its mailbox
 * is verified, and neither a dump of the database nor any output contains a secret.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { openProductWorld, password, type ProductWorld } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { everyRow, givenAway } from './written.ts'

const world = await openProductWorld()
const proving = await openProductWorld({ IDENTITY_REQUIRE_VERIFIED_EMAIL: 'true' })
afterAll(() => Promise.all([world.close(), proving.close()]))

type Shape = { status: number; headers: string[]; body: string[] }

/** What an answer shows, without what differs from one request to the next. */
async function shapeOf(
  at: ProductWorld,
  path: string,
  body: object,
): Promise<Shape & { values: Record<string, unknown> }> {
  const answer = await at.call('POST', path, { body })
  const { request_id: _, id: __, expires_at: ___, ...values } = answer.body
  const headers = [...answer.headers.keys()].sort()
  return { status: answer.status, headers, body: Object.keys(answer.body).sort(), values }
}

describe.each([
  ['where an account works at once', world],
  ['where an address must be proven', proving],
] as const)('%s', (_, at) => {
  test('known and unknown addresses are answered alike', async () => {
    const tenant = await at.tenant()
    const known = 'known@example.test'
    await owned(at, known, tenant)
    const unknown = 'unknown@example.test'
    for (const [path, body] of [
      ['/v1/accounts', { password }],
      ['/v1/sessions', { password: 'not the password' }],
      ['/v1/password-reset-requests', {}],
      ['/v1/email-verification-requests', {}],
      ['/v1/login-codes', {}],
      ['/v1/login-options', {}],
    ] as const) {
      const about = { ...body, tenant: tenant.slug }
      const first = await shapeOf(at, path, { ...about, email: known })
      const second = await shapeOf(at, path, { ...about, email: unknown })
      expect(first).toEqual(second)
    }
    const mails = await at.mails(known)
    const notice = mails.find(one => one.template === 'address_known')
    expect(notice).toMatchObject({ token: null, link: null })
  })

  test('the statuses of known and unknown addresses read alike', async () => {
    const tenant = await at.tenant()
    const known = 'status-known@example.test'
    await owned(at, known, tenant)
    const states = []
    for (const path of ['/v1/password-reset-requests', '/v1/login-codes']) {
      for (const email of [known, 'status-unknown@example.test']) {
        const asked = await at.call('POST', path, { body: { email, tenant: tenant.slug } })
        const { body } = await at.call('GET', asked.headers.get('location') ?? '')
        states.push([Object.keys(body).sort(), body.status])
      }
    }
    expect(new Set(states.map(state => JSON.stringify(state))).size).toBe(1)
  })
})

test('an unknown address gets no mail, but has the same rows as a known one', async () => {
  const tenant = await world.tenant()
  await owned(world, 'asks@example.test', tenant)
  await close(tenant)
  const written: string[][] = []
  const paths = [
    '/v1/password-reset-requests',
    '/v1/email-verification-requests',
    '/v1/login-codes',
  ]
  for (const email of ['asks@example.test', 'nobody-asks@example.test']) {
    for (const path of paths) {
      const before = await rowsOf(world)
      const { status } = await world.call('POST', path, { body: { email, tenant: tenant.slug } })
      expect(status).toBe(202)
      const after = await rowsOf(world)
      written.push(
        after.filter((row, at) => row !== before[at]).map(row => row.split(' ')[0] ?? ''),
      )
    }
  }
  expect(written.slice(3)).toEqual(written.slice(0, 3))
  expect(written[0]).toContain('identity.mails')
  const dropped = await world.platform.kernel.db.many(
    Type.Object({ id: Type.String(), address: Type.String() }),
    sql`
      select id, address from identity.mails
      where tenant_id = ${tenant.id} and address = ''`,
  )
  // For the reset and the code of an unknown address, and for each address that awaits no proof.
  expect(dropped.map(one => one.address)).toEqual(['', '', '', ''])
  for (const { id } of dropped) expect(await world.identity.mail(id)).toBeUndefined()
})

test('where an address must be verified, a login before that is refused', async () => {
  const tenant = await proving.tenant()
  const email = 'early@example.test'
  const body = { email, password, tenant: tenant.slug }
  const registered = await proving.call('POST', '/v1/accounts', { body })
  expect(registered.body.verification_required).toBe(true)
  expect((await proving.login({ email, password, tenant })).body.code).toBe('invalid_credentials')
  const token = (await proving.mails(email)).at(-1)?.token
  const proven = await proving.call('POST', '/v1/email-verifications', {
    body: { token, password },
  })
  expect(proven.status).toBe(201)
  expect((await proving.login({ email, password, tenant })).status).toBe(201)
})

test('what proves nothing does not use up a mailed token, and later registrations do not push one out', async () => {
  const tenant = await proving.tenant()
  const victim = { email: 'patient@example.test', password, tenant: tenant.slug }
  const registered = await proving.call('POST', '/v1/accounts', { body: victim })
  const token = (await proving.mails(victim.email)).at(-1)?.token
  for (let attempt = 0; attempt < 5; attempt++) {
    for (const more of [{}, { registration_id: newId() }]) {
      const wrong = await proving.call('POST', '/v1/email-verifications', {
        body: { token, ...more },
      })
      expect(wrong.body.code).toBe('one_time_token_invalid')
    }
    const body = { ...victim, password: 'another person chose this one' }
    expect((await proving.call('POST', '/v1/accounts', { body })).status).toBe(202)
  }
  const body = { token, registration_id: registered.body.id }
  expect((await proving.call('POST', '/v1/email-verifications', { body })).status).toBe(201)
  expect((await proving.login({ ...victim, tenant })).status).toBe(201)
})

test('the first registrant of a stranger’s address loses it to the owner of the mailbox', async () => {
  const tenant = await world.tenant()
  const email = 'wanted@example.test'
  const attacker = { email, password: 'the attacker chose this one', tenant }
  await register(attacker)
  const taken = (await world.login(attacker)).body
  const victim = { email, password: 'the victim chose that one', tenant }
  await register(victim)
  expect((await world.login(victim)).status).toBe(401)
  const token = (await world.mails(email)).at(-1)?.token
  const proven = await world.call('POST', '/v1/email-verifications', {
    body: { token, password: victim.password },
  })
  expect(proven.status).toBe(201)
  expect((await world.login(victim)).status).toBe(201)
  expect((await world.login(attacker)).status).toBe(401)
  expect((await world.call('GET', '/v1/me', { token: taken.access_token })).status).toBe(401)
  const path = `/v1/sessions/${taken.session_id}/refresh`
  const { refresh_token } = taken
  expect((await world.call('POST', path, { body: { refresh_token } })).status).toBe(401)
})

test('proving one’s own registration ends no session of one’s own', async () => {
  const member = await world.member()
  const token = (await world.mails(member.email)).at(-1)?.token
  const body = { token, password: member.password }
  expect((await world.call('POST', '/v1/email-verifications', { body })).status).toBe(201)
  expect(
    (await world.call('GET', '/v1/me', { token: member.token })).body.verified_at,
  ).not.toBeNull()
})

describe('an address that only looks like another', () => {
  test('is the same account where it is the same mailbox, and mail goes to the stored spelling', async () => {
    const tenant = await world.tenant()
    const stored = 'kim@example.test'
    await owned(world, stored, tenant)
    // A fullwidth letter, the Kelvin sign, capitals, and the domain in another script's full stop.
    for (const email of ['ｋim@example.test', '\u212Aim@EXAMPLE.test', 'KIM@example。test']) {
      expect((await world.login({ email, password, tenant })).status).toBe(201)
      const body = { email, tenant: tenant.slug }
      const before = (await world.mails(stored)).length
      expect((await world.call('POST', '/v1/email-verification-requests', { body })).status).toBe(
        202,
      )
      await register({ email, password: 'the look-alike chose this one', tenant })
      const sent = (await world.mails(stored)).slice(before)
      expect(sent.map(({ template }) => template)).toContain('address_known')
      expect(await world.mails(email)).toEqual([])
    }
  })

  test('is another account, or none, where it is another mailbox', async () => {
    const tenant = await world.tenant()
    const victim = 'ian@example.test'
    await owned(world, victim, tenant)
    const attacker = {
      email: 'İan@example.test',
      password: 'the look-alike chose this one',
      tenant,
    }
    await register(attacker)
    const before = await world.mails(victim)
    const mine = await world.login(attacker)
    const theirs = await world.login({ email: victim, password, tenant })
    expect(mine.body.account_id).not.toBe(theirs.body.account_id)
    const body = { email: victim, tenant: tenant.slug }
    expect((await world.call('POST', '/v1/password-reset-requests', { body })).status).toBe(202)
    const after = await world.mails(victim)
    expect(after.slice(before.length).map(mail => [mail.address, mail.template])).toEqual([
      [victim, 'reset_password'],
    ])
    for (const email of [
      'a\0@example.test',
      `${'a'.repeat(243)}@example.test`,
      'a b@example.test',
    ]) {
      const refused = await world.call('POST', '/v1/accounts', {
        body: { email, password, tenant: tenant.slug },
      })
      expect(refused.status).toBe(422)
      expect(refused.body.errors).toMatchObject([{ pointer: '/email' }])
    }
  })
})

test('one address in two tenants is two accounts', async () => {
  const [one, two] = [await world.tenant(), await world.tenant()]
  const email = 'twice@example.test'
  const first = { email, password: 'the first password of both', tenant: one }
  const second = { email, password: 'the second password of both', tenant: two }
  await register(first)
  await register(second)
  const ids = [
    (await world.login(first)).body.account_id,
    (await world.login(second)).body.account_id,
  ]
  expect(new Set(ids).size).toBe(2)
  expect((await world.login({ ...first, tenant: two })).status).toBe(401)
})

test('a dump of the database holds no token, no password and no bare hash', async () => {
  const member = await world.member()
  await world.call('POST', '/v1/password-reset-requests', {
    body: { email: member.email, tenant: member.tenant.slug },
  })
  const tokens = (await world.mails(member.email)).flatMap(mail => mail.token ?? [])
  expect(tokens).toHaveLength(2)
  const secrets = [...tokens, member.token, member.refresh_token, member.device_token, password]
  const rows = (await everyRow(world.database_url)).map(({ text }) => text)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(row => givenAway(row, secrets).length > 0)).toEqual([])
  const phc = Buffer.from('$argon2id').toString('hex')
  expect(rows.filter(row => row.includes('$argon2id') || row.includes(phc))).toEqual([])
})

async function register(who: { email: string; password: string; tenant: { slug: string } }) {
  const body = { email: who.email, password: who.password, tenant: who.tenant.slug }
  const { status } = await world.call('POST', '/v1/accounts', { body })
  expect(status).toBe(202)
}

async function owned(at: ProductWorld, email: string, tenant: { slug: string }): Promise<void> {
  await at.call('POST', '/v1/accounts', { body: { email, password, tenant: tenant.slug } })
  const token = (await at.mails(email)).at(-1)?.token
  const proven = await at.call('POST', '/v1/email-verifications', { body: { token, password } })
  expect(proven.status).toBe(201)
}

async function close({ id }: { id: string }): Promise<void> {
  await world.platform.kernel.db.run(sql`
    update identity.tenants set signup = 'invite' where id = ${id}`)
}

/** How many rows each table has ever got, as far as these requests write them. */
async function rowsOf({ platform }: ProductWorld): Promise<string[]> {
  const { kernel } = platform
  const rows = await kernel.db.many(
    Type.Object({ row: Type.String() }),
    sql`
      select 'identity.mails ' || count(*) as row from identity.mails
      union all
      select 'identity.requests ' || count(*) from identity.requests
      union all
      select 'identity.one_time_challenges ' || count(*) from identity.one_time_challenges
      union all
      select 'identity.security_events ' || count(*) from identity.security_events
      union all
      select 'kernel.events ' || (select count(*) from kernel.events)
        + (select count(*) from kernel.outbox_events)`,
  )
  return rows.map(({ row }) => row)
}
