/**
 * Guessing is limited before a hash is computed, a known device cannot be locked out, and many
 * valid logins pass.
 */
import { afterAll, describe, expect, test } from 'vitest'
import {
  openProductWorld,
  password,
  type Member,
  type ProductWorld,
} from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'

const world = await openProductWorld()
const networks = await openProductWorld({
  KERNEL_THROTTLE_LOOPBACK: 'true',
  KERNEL_RATE_FACTOR: '1',
  IDENTITY_REGISTRATIONS_PER_HOUR: '3',
  IDENTITY_RESETS_PER_EMAIL_PER_HOUR: '2',
  IDENTITY_LOGIN_NETWORK_BURST: '4',
})
const narrow = await openProductWorld({
  IDENTITY_EMAIL_SCOPE: 'global',
})
afterAll(() => Promise.all([world.close(), networks.close(), narrow.close()]))

const wrong = (member: Member, more: object = {}, at = world) =>
  at.login({ ...member, password: 'not the password' }, more)

async function hashes(at = world): Promise<number> {
  const text =
    await at.platform.kernel.metrics.registry.getSingleMetricAsString('auth_hashes_total')
  return Number(/^auth_hashes_total (\d+)/m.exec(text)?.[1])
}

test('50 wrong guesses at once compute at most 5 hashes', async () => {
  const member = await world.member()
  const before = await hashes()
  const all = await Promise.all(Array.from({ length: 50 }, () => wrong(member)))
  expect(await hashes()).toBeLessThanOrEqual(before + 5)
  const refused = all.filter(one => one.status === 429)
  expect(refused).toHaveLength(45)
  expect(all.filter(one => one.status === 401)).toHaveLength(5)
  for (const { headers, body } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(body.retry_after).toBe(Number(headers.get('retry-after')))
  }
})

test('after a stranger’s guesses the known device logs in, and a stranger does not', async () => {
  const member = await world.member()
  for (let guess = 0; guess < 50; guess++) await wrong(member)
  expect((await world.login(member)).status).toBe(429)
  const { device_token } = member
  expect((await world.login(member, { device_token })).status).toBe(201)
  const other = await world.member()
  expect((await world.login(member, { device_token: other.device_token })).status).toBe(429)
  expect((await world.login(member, { device_token: `${device_token}x` })).status).toBe(429)
})

test('a known device has a bucket of its own', async () => {
  const member = await world.member()
  const { device_token } = member
  const statuses: number[] = []
  for (let guess = 0; guess < 12; guess++)
    statuses.push((await wrong(member, { device_token })).status)
  expect(statuses.filter(status => status === 401)).toHaveLength(10)
  expect((await world.login(member)).status).toBe(201)
})

test('an unknown address is throttled like a known one', async () => {
  const tenant = await world.tenant()
  const unknown = { email: 'nobody@example.test', password: 'not the password', tenant }
  const answers: Answer[] = []
  for (let guess = 0; guess < 6; guess++) answers.push(await world.login(unknown))
  expect(answers.map(one => one.status)).toEqual([401, 401, 401, 401, 401, 429])
  const refused = answers.at(-1)?.headers
  expect(refused?.get('ratelimit')).toBe(`"operation";r=0;t=${refused?.get('retry-after')}`)
})

test.each([
  ['of one tenant', world],
  ['of the whole platform', narrow],
])('addresses %s have one budget however the tenant is spelled, known or not', async (_, at) => {
  const spellings = [undefined, 'default']
  if (at === narrow) spellings.push((await at.tenant()).slug, (await at.tenant()).slug)
  const seen = []
  for (const make of [unknown, active, disabled, erased, without]) {
    const email = await make(at)
    const before = await hashes(at)
    const answers = []
    for (let guess = 0; guess < 8; guess++) {
      const tenant = spellings[guess % spellings.length]
      const body = { email, password: 'not the password', ...(tenant && { tenant }) }
      answers.push(shown(await at.call('POST', '/v1/sessions', { body })))
    }
    seen.push({ answers, hashes: (await hashes(at)) - before })
  }
  const [first] = seen
  const budget = [401, 401, 401, 401, 401, 429, 429, 429]
  expect(first?.answers.map(({ status }) => status)).toEqual(budget)
  expect(first?.hashes).toBe(5)
  for (const one of seen) expect(one).toEqual(first)
})

test('the right password with the tenant of others is a guess like a wrong password', async () => {
  const [member, tenant] = [await narrow.member(), await narrow.tenant()]
  const stranger = { email: newEmail(), password: 'not the password', tenant: member.tenant }
  const seen = []
  for (const who of [stranger, { ...member, tenant }]) {
    const before = await hashes(narrow)
    const answers = []
    for (let guess = 0; guess < 6; guess++) answers.push(shown(await narrow.login(who)))
    seen.push({ answers, hashes: (await hashes(narrow)) - before })
  }
  expect(seen[0]?.answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429])
  expect(seen[1]).toEqual(seen[0])
})

const newEmail = () => `g-${newId()}@example.test`
const unknown = (): Promise<string> => Promise.resolve(newEmail())

async function active(at: ProductWorld): Promise<string> {
  const email = newEmail()
  await at.identity.administration.createAccount(
    { tenant: 'default', email, password, display_name: null, role_ids: [] },
    'cli:test',
  )
  return email
}

async function disabled(at: ProductWorld): Promise<string> {
  const account = await active(at)
  await at.identity.administration.disableAccount({ tenant: 'default', account }, 'cli:test')
  return account
}

async function erased(at: ProductWorld): Promise<string> {
  const email = await active(at)
  const { body } = await at.call('POST', '/v1/sessions', { body: { email, password } })
  const token: string = body.access_token
  const gone = await at.call('DELETE', `/v1/accounts/${body.account_id}`, { token })
  expect(gone.status).toBe(204)
  return email
}

/** An account without a password. */
async function without(at: ProductWorld): Promise<string> {
  const email = await active(at)
  const { body } = await at.call('POST', '/v1/sessions', { body: { email, password } })
  await at.platform.kernel.db.run(
    sql`delete from identity.credentials where account_id = ${body.account_id}`,
  )
  return email
}

/** What a guesser sees, without what differs from one request to the next. */
function shown({ status, headers, body }: Answer) {
  const { request_id: _, retry_after, detail: __, ...said } = body
  const shared = [...headers]
    .filter(([name]) => !['date', 'x-request-id', 'retry-after', 'content-length'].includes(name))
    .map(([name, value]) => [name, name === 'ratelimit' ? value.replace(/t=\d+$/, 't=') : value])
  return { status, said, limited: retry_after > 0, shared }
}

test('50 valid logins of one account at once are never called wrong', async () => {
  const member = await world.member()
  const all = await Promise.all(Array.from({ length: 50 }, () => world.login(member)))
  expect(all.map(one => one.status).filter(status => ![201, 429, 503].includes(status))).toEqual([])
  expect(all.filter(one => one.status === 201).length).toBeGreaterThan(5)
  const waits = all.filter(one => one.status !== 201).map(one => one.headers.get('retry-after'))
  expect(waits).not.toContain(null)
  expect((await world.login(member)).status).toBe(201)
})

test('a stranger’s mailbox gets so many mails an hour, for any caller and reason', async () => {
  const person = async (name: string) => {
    const email = `${name}-${newId()}@example.test`
    const roles = { display_name: null, role_ids: ['tenant_admin', 'platform_operator'] }
    await networks.identity.administration.createAccount(
      { tenant: 'default', email, password, ...roles },
      'cli:test',
    )
    const { body } = await networks.call('POST', '/v1/sessions', { body: { email, password } })
    return body.access_token as string
  }
  const [one, other] = [await person('one'), await person('other')]
  const stranger = `stranger-${newId()}@example.test`
  const change = (token: string, email = stranger) =>
    networks.call('POST', '/v1/email-changes', {
      token,
      body: { email, current_password: password },
    })
  const statuses = []
  for (const token of [one, one, one, other, other, other, one])
    statuses.push((await change(token)).status)
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429])
  const others = await Promise.all([
    networks.call('POST', '/v1/invitations', { token: one, body: { email: stranger } }),
    networks.call('POST', '/v1/email-verification-requests', { body: { email: stranger } }),
  ])
  expect(others.map(({ status }) => status)).toEqual([429, 429])
  expect((await change(one, `else-${stranger}`)).status).toBe(202)
})

test('a stranger in another tenant does not use up the mails of this one, up to a sum', async () => {
  const email = `shared-${newId()}@example.test`
  const code = async (tenant: string) =>
    (await networks.call('POST', '/v1/login-codes', { body: { email, tenant } })).status
  const all = async (tenant: string) =>
    (await Promise.all(Array.from({ length: 6 }, () => code(tenant)))).filter(one => one === 202)
  const tenants = await Promise.all(Array.from({ length: 5 }, () => networks.tenant()))
  const sent = []
  for (const { slug } of tenants) sent.push((await all(slug)).length)
  expect(sent).toEqual([5, 5, 5, 5, 0])
})

describe('a network', () => {
  test('may register, reset and guess so often', async () => {
    const tenant = await networks.tenant()
    const statuses = async (times: number, ask: (n: number) => Promise<{ status: number }>) => {
      const seen: number[] = []
      for (let n = 0; n < times; n++) seen.push((await ask(n)).status)
      return seen
    }
    const registered = await statuses(4, n =>
      networks.call('POST', '/v1/accounts', {
        body: { email: `r${n}@example.test`, password, tenant: tenant.slug },
      }),
    )
    expect(registered).toEqual([202, 202, 202, 429])
    const reset = await statuses(3, () =>
      networks.call('POST', '/v1/password-reset-requests', {
        body: { email: 'r0@example.test', tenant: tenant.slug },
      }),
    )
    expect(reset).toEqual([202, 202, 429])
    const guessed = await statuses(5, n =>
      networks.login({ email: `g${n}@example.test`, password: 'x', tenant }),
    )
    expect(guessed).toEqual([401, 401, 401, 401, 429])
  })
})
