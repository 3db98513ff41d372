/**
 * A busy day in a process that writes down all it can: whatever of passwords, tokens, codes and keys
 * came up in it stands neither in its output, nor in any answer that refuses, nor in any row.
 */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, newKey, type Ask } from '../../../../test/world.ts'
import { activate, enrolTotp, halfway, nextCode, verify, wrongCode } from './second-factor.ts'
import { everyRow, givenAway } from './written.ts'

const world = await openProductWorld({})
const loud = await startProcess(
  {
    ...world.environment,
    LOG_LEVEL: 'trace',
    // A failure is what writes most: the error with its cause and its request.
    KERNEL_FAULTS: 'identity.after_rotation=throw@2',
  },
  'product',
)
afterAll(async () => {
  await loud.kill()
  await world.close()
})

const secrets = new Map<string, string>()
const refusals: { path: string; text: string }[] = []
const statuses = new Set<number>()

/** It is searched for at the end, under this name. */
function secret(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length < 10) throw new Error(`${name} is no secret`)
  secrets.set(value, name)
  return value
}

/** The world as the loud process serves it; what its answers give away is kept. */
const at: ProductWorld = {
  ...world,
  url: loud.url,
  call: async (method, path, asked) => {
    const answer = await call(loud.url, method, path, asked)
    statuses.add(answer.status)
    if (answer.status >= 400) refusals.push({ path, text: answer.text })
    const { body } = answer
    for (const name of ['access_token', 'refresh_token', 'device_token', 'login_token']) {
      if (body?.[name]) secret(name, body[name])
    }
    return answer
  },
  login: ({ email, password, tenant }, more = {}) =>
    at.call('POST', '/v1/sessions', { body: { email, password, tenant: tenant.slug, ...more } }),
}

const post = (path: string, body: unknown, more: Ask = {}) =>
  at.call('POST', path, { body, ...more })

async function mailed(email: string): Promise<string> {
  return secret('mailed token', (await at.mails(email)).at(-1)?.token)
}

/** Registered, proven and logged in, with everything that may go wrong on the way. */
async function arrive(): Promise<Member> {
  const tenant = await world.tenant()
  const email = `secretive-${tenant.slug}@example.test`
  const password = secret('first password', 'the very first phrase 2417')
  const who = { email, password, tenant }
  await post('/v1/accounts', { email, password, tenant: tenant.slug })
  await post('/v1/accounts', { email, password: secret('weak password', 'qwertyuiop12') })
  const token = await mailed(email)
  await post('/v1/email-verifications', { token })
  await post('/v1/email-verifications', { token, password })
  await post('/v1/email-verifications', { token, password })
  await at.login({ ...who, password: secret('wrong password', 'a wrong phrase of mine 88') })
  const { body } = await at.login(who)
  const { session_id, refresh_token, device_token, account_id, access_token } = body
  const session = { session_id, refresh_token, device_token, token: access_token }
  return { ...who, ...session, id: account_id }
}

async function refreshAndFail({ session_id, refresh_token }: Member): Promise<void> {
  const path = `/v1/sessions/${session_id}/refresh`
  const next = (await post(path, { refresh_token })).body.refresh_token
  const broken = await post(path, { refresh_token: next })
  expect(broken.status).toBe(500)
  expect((await post(path, { refresh_token: next })).status).toBe(200)
  await post(path, { refresh_token: secret('forged token', `rt_${'Zx9'.repeat(25)}`) })
}

async function saySenselessThings({ email, password, token }: Member): Promise<void> {
  await post('/v1/sessions', `{"email": "${email}", "password": "${password}"`)
  await post('/v1/sessions', { email, password: [password], pasword: password })
  await post('/v1/sessions', { oidc_ticket: secret('forged ticket', `ot_${'Qw3'.repeat(14)}x`) })
  await post('/v1/sessions', {
    email,
    password,
    delivery: secret('misplaced word', 'tell no one x'),
  })
  const forged = secret('forged access token', `${token.slice(0, -6)}AAAAAA`)
  await at.call('GET', '/v1/me', { token: forged })
  const code = secret('code of a provider', 'code-that-a-provider-gave-us')
  await at.call('GET', `/v1/oidc/nobody/callback?code=${code}&state=${code}`)
  await at.call('GET', `/v1/me?access_token=${token}`)
  await at.call('GET', `/nowhere?token=${token}`)
}

/** Second factors, both ways of proving one, and an API key made with the strength they give. */
async function growStronger(member: Member): Promise<void> {
  const { token } = member
  const { enrolled, method_id, app } = await enrolTotp(at, token)
  secret('secret of the app', enrolled.body.secret)
  secret('bytes of the app', Buffer.from(app.totp.secret.bytes).toString('latin1'))
  await activate(at, token, method_id, { code: wrongCode(at, app) })
  const activated = await activate(at, token, method_id, { code: await nextCode(at, app) })
  for (const one of activated.body.recovery_codes) secret('recovery code', one)
  const login = await halfway(at, member)
  await verify(at, login.id, login.login_token, { code: wrongCode(at, app) })
  const [recovery_code] = activated.body.recovery_codes
  const strong = await verify(at, login.id, login.login_token, { recovery_code })
  expect(strong.status).toBe(201)
  await at.give(member, 'auditor')
  const made = await post(
    '/v1/api-keys',
    { name: 'worker', permissions: ['identity.accounts.read'] },
    { token: strong.body.access_token, key: newKey() },
  )
  const key = secret('API key', made.body.key)
  expect((await at.call('GET', '/v1/accounts', { token: key })).status).toBe(200)
  await at.call('GET', '/v1/accounts', { token: secret('forged key', `${key.slice(0, -4)}AAAA`) })
}

async function forgetPassword({ email, tenant }: Member): Promise<void> {
  await post('/v1/password-reset-requests', { email, tenant: tenant.slug })
  const token = await mailed(email)
  await post('/v1/password-resets', { token, new_password: 'password1234' })
  const new_password = secret('last password', 'a wholly different phrase 71')
  expect((await post('/v1/password-resets', { token, new_password })).status).toBe(204)
  await post('/v1/password-resets', { token, new_password })
}

async function logInByMail({ email, tenant }: Member): Promise<void> {
  const { body } = await post('/v1/login-codes', { email, tenant: tenant.slug })
  const token = await mailed(email)
  const forged = secret('forged link', `ot_${'Ab1'.repeat(14)}x`)
  await post('/v1/sessions', { login_code: { id: body.id, token: forged } })
  expect((await post('/v1/sessions', { login_code: { id: body.id, token } })).status).toBe(201)
  await post('/v1/sessions', { login_code: { id: body.id, token } })
}

async function useCookies(member: Member): Promise<void> {
  const { headers, body } = await at.login(member, { delivery: 'cookie' })
  const hidden = headers.getSetCookie().filter(line => line.includes('; HttpOnly'))
  const cookies = hidden.map(line => line.split(';')[0] ?? '')
  expect(cookies).toHaveLength(4)
  for (const cookie of cookies) secret('cookie', cookie.split('=')[1])
  secret('CSRF token', body.csrf_token)
  const path = `/v1/sessions/${body.session_id}/refresh`
  const refused = await at.call('POST', path, { headers: { cookie: cookies.join('; ') } })
  expect(refused.body.code).toBe('csrf_failed')
}

/** Links of mails and forms, as the account pages get them. */
async function usePages({ email, tenant, password }: Member): Promise<void> {
  const show = (path: string, token: string) =>
    fetch(`${loud.url}/account/${path}?${new URLSearchParams({ token })}`)
  const send = (path: string, fields: Record<string, string>) =>
    fetch(`${loud.url}/account/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ email, tenant: tenant.slug, ...fields }),
      redirect: 'manual',
    })
  await send('forgot', {})
  const token = await mailed(email)
  await show('reset', token)
  await show('verify', token)
  await send('reset', { token, password: secret('weak word of a form', 'asdfghjkl123') })
  await send('login', { password: secret('wrong word of a form', 'not my phrase at all') })
  const login = await send('login', { password })
  expect(login.status).toBe(303)
  const [halfway = ''] = login.headers.getSetCookie()
  const cookie = halfway.split(';')[0] ?? ''
  secret('cookie of a waiting login', cookie.split('=')[1])
  const code = secret('wrong code of a form', 'ABCDE-FGHJK')
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ code })
  const wrong = await fetch(`${loud.url}/account/second-factor`, { method: 'POST', headers, body })
  expect(wrong.status).toBe(401)
}

test('no secret stands in the output, in an answer that refuses, or in any row', async () => {
  const member = await arrive()
  await refreshAndFail(member)
  await saySenselessThings(member)
  await useCookies(member)
  await logInByMail(member)
  await growStronger(member)
  await usePages(member)
  await forgetPassword(member)
  await loud.kill('SIGTERM')

  // The journey was complete: answers of all kinds, and all kinds of secrets.
  expect([...statuses]).toEqual(
    expect.arrayContaining([200, 201, 202, 204, 400, 401, 404, 422, 500]),
  )
  expect(new Set(secrets.values()).size).toBeGreaterThan(18)
  const all = [...secrets.keys()]
  const named = (found: readonly string[]) => found.map(one => secrets.get(one))
  const personal = [...all, member.email]

  expect(loud.output()).toContain('identity.after_rotation')
  expect(named(givenAway(loud.output(), personal))).toEqual([])
  const problems = refusals.filter(({ text }) => givenAway(text, personal).length > 0)
  expect(problems).toEqual([])
  const rows = await everyRow(world.database_url)
  for (const { table, text } of rows)
    expect([table, named(givenAway(text, all))]).toEqual([table, []])
  // What others read besides has no address either.
  const recorded = rows.filter(({ table }) => /events|records/.test(table))
  expect(recorded.length).toBeGreaterThan(20)
  expect(recorded.filter(({ text }) => text.includes(member.email))).toEqual([])
})
