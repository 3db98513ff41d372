/** Tenants and people made on the command line, beside a running platform that obeys at once. */
import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { URI } from 'otpauth'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../test/world.ts'
import { openProductWorld, password } from '../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { audited } from '../../surfaces/identity/test/announced.ts'
import { commandsWith } from './in-process.ts'

const world = await openProductWorld({})
afterAll(() => world.close())

const commands = commandsWith(world.environment)
const run = (words: string, more?: Record<string, string>) => commands.run(words.split(' '), more)
const json = (words: string) => commands.json(words.split(' '))

const slugOf = () => `c-${newId().slice(-12)}`
const addressOf = () => `c-${newId()}@example.test`

test('a person made by hand logs in, gets and loses a role, is shut out', async () => {
  const slug = slugOf()
  const tenant = await json(`tenant create ${slug} --name=Press`)
  expect(tenant).toMatchObject({ slug, name: 'Press', signup: 'invite', state: 'active' })
  const email = addressOf()
  const made = await json(`user create ${email} --tenant=${slug} --roles=auditor,support_viewer`)
  expect(made).toMatchObject({ email, role_ids: ['auditor', 'support_viewer'], status: 'active' })
  const who = { email, password: made.password as string, tenant }
  const login = await world.login(who)
  expect(login.status).toBe(201)
  const token = login.body.access_token as string
  const roles = async () => (await world.call('GET', '/v1/roles', { token })).status
  expect(await roles()).toBe(200)
  expect(await json(`user revoke ${email} auditor --tenant=${slug}`)).toMatchObject({
    changed: true,
  })
  expect(await roles()).toBe(403)
  expect(await json(`user grant ${made.id} auditor --tenant=${slug}`)).toMatchObject({
    changed: true,
  })
  expect(await json(`user grant ${email} auditor --tenant=${slug}`)).toMatchObject({
    changed: false,
  })
  expect(await roles()).toBe(200)
  const { data } = await json(`user list --tenant=${slug}`)
  expect(data).toMatchObject([{ email, tenant: slug, role_ids: ['auditor', 'support_viewer'] }])
  expect((await json(`user disable ${email} --tenant=${slug}`)).status).toBe('disabled')
  // Another process ended the session: this one hears of it.
  await eventually('the session ends', async () => (await roles()) === 401)
  expect((await world.login(who)).status).toBe(401)
  const acts = ['identity.accounts.create', 'identity.accounts.disable']
  expect(await audited(world, made.id as string)).toEqual(acts)
})

test('a lost password is set by a printed token', async () => {
  const member = await world.member()
  const { slug } = member.tenant
  const { token, link } = await json(`user reset-password ${member.email} --tenant=${slug}`)
  expect(link).toBe(`http://dodeca.test/account/reset?token=${token}`)
  const body = { token, new_password: `${password} again` }
  expect((await world.call('POST', '/v1/password-resets', { body })).status).toBe(204)
  expect((await world.login(member)).status).toBe(401)
  expect((await world.login({ ...member, password: body.new_password })).status).toBe(201)
  const again = await world.call('POST', '/v1/password-resets', { body })
  expect(again.body.code).toBe('one_time_token_invalid')
})

test('an authenticator is added by its code, and replaced only on request', async () => {
  const member = await world.member()
  const words = ['user', 'enrol-totp', member.email, `--tenant=${member.tenant.slug}`]
  const first = await enrol(words)
  expect(first.code).toBe(0)
  const { recovery_codes } = first.last
  expect(recovery_codes).toHaveLength(10)
  const half = await world.login(member)
  expect([half.status, half.body.methods.length]).toEqual([202, 1])
  const again = await commands.run(words)
  expect([again.code, again.out]).toEqual([1, ''])
  expect(again.err).toMatch(/has an authenticator already\. Add --replace/)

  const second = await enrol([...words, '--replace'])
  expect(second.last.recovery_codes).not.toEqual(recovery_codes)
  const { body } = await world.login(member)
  expect(body.methods).toHaveLength(1)
  const path = `/v1/mfa/challenges/${body.id}/verify`
  const token = body.login_token
  const [old] = recovery_codes
  const refused = await world.call('POST', path, { token, body: { recovery_code: old } })
  expect(refused.body.code).toBe('mfa_verification_failed')
  const [recovery_code] = second.last.recovery_codes
  expect((await world.call('POST', path, { token, body: { recovery_code } })).status).toBe(201)
  expect(await audited(world, member.id)).toEqual([
    'identity.accounts.enrol_totp',
    'identity.accounts.enrol_totp',
  ])
})

test('an authenticator without its code leaves the account as it was', async () => {
  const member = await world.member()
  const words = ['user', 'enrol-totp', member.email, `--tenant=${member.tenant.slug}`]
  const stdin = new PassThrough()
  stdin.end('no code\n')
  const { code, err } = await commands.run(words, {}, stdin)
  expect(code).toBe(1)
  expect(err).toMatch(
    /The code is wrong.*No right code was entered, so the account is as it was\.$/s,
  )
  expect((await world.login(member)).status).toBe(201)
})

/** A person who scans the QR code and types what the app shows. */
async function enrol(words: string[]) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  let printed = ''
  stdout.on('data', (chunk: Buffer) => {
    const first = printed === ''
    printed += chunk.toString()
    if (!first) return
    const { otpauth_uri } = JSON.parse(printed) as { otpauth_uri: string }
    stdin.end(`${URI.parse(otpauth_uri).generate()}\n`)
  })
  const { code } = await commands.run([...words, '--json'], {}, stdin, stdout)
  return { code, last: JSON.parse(printed.trim().split('\n').at(-1) ?? '') }
}

test('a disabled tenant is silent', async () => {
  const member = await world.member()
  expect((await json(`tenant disable ${member.tenant.slug}`)).state).toBe('disabled')
  const me = () => world.call('GET', '/v1/me', { token: member.token })
  await eventually('the session ends', async () => (await me()).status === 401)
  const { data } = await json('tenant list')
  expect(data).toContainEqual(expect.objectContaining({ id: member.tenant.id, state: 'disabled' }))
})

test('signing keys are turned over, gently or at once', async () => {
  const member = await world.member()
  const next = await json('keys rotate signing')
  expect(next.state).toBe('next')
  const kids = async (): Promise<string[]> => {
    const { body } = await world.call('GET', '/.well-known/jwks.json')
    return body.keys.map((key: { kid: string }) => key.kid)
  }
  await eventually('the new key is known', async () => (await kids()).includes(next.kid))
  expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(200)
  const only = await json('keys rotate signing --revoke')
  expect(only.state).toBe('active')
  await eventually('the new key is alone', async () => (await kids()).join() === only.kid)
  expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
  expect(await audited(world, only.kid as string)).toEqual(['identity.signing_keys.rotate'])
})

describe('refusals', () => {
  const said: readonly (readonly [string, RegExp])[] = [
    ['tenant create Acme', /^Acme is not a slug: /],
    ['tenant create some-one --signup=maybe', /^--signup must be open or invite\.$/],
    ['tenant disable default', /^The platform is administered from this tenant\.$/],
    ['user create nonsense', /^nonsense is not a valid e-mail address\.$/],
    [
      'user create x@example.test --roles=auditor,emperor',
      /^There is no role emperor\. The roles are [a-z_, ]+\.$/,
    ],
    ['user grant admin@example.com emperor', /^There is no role emperor\. The roles are /],
    [
      'user grant nobody@example.test auditor',
      /^The tenant default has no account nobody@example\.test\. /,
    ],
  ]
  test.each(said)('%s', async (words, sentence) => {
    const { code, out, err } = await run(words)
    expect(err).toMatch(sentence)
    expect([code, out]).toEqual([1, ''])
  })

  test('nothing of a refused account stays', async () => {
    const email = addressOf()
    await run(`user create ${email} --roles=auditor,emperor`)
    const { data } = await json('user list --tenant=default')
    expect(data.map((one: { email: string }) => one.email)).not.toContain(email)
  })
})

test('seeds are sown once, and never in production', async () => {
  const first = await json('seed')
  expect(first.made).toContain('tenant acme')
  expect(first.made).toContain('platform-operator@globex.example (globex)')
  const people = (await json('user list --tenant=acme')).data
  expect((await json('seed')).made).toEqual([])
  expect((await json('user list --tenant=acme')).data).toEqual(people)
  const line = (first.made as string[]).find(one => one.startsWith('password of all demo people: '))
  const secret = line?.split(': ')[1] ?? ''
  expect(first.made).toContain('7 links of a member (acme)')
  for (const slug of ['acme', 'globex']) {
    const email = `auditor@${slug}.example`
    const body = { email, password: secret, tenant: slug }
    expect((await world.call('POST', '/v1/sessions', { body })).status).toBe(201)
  }
  const refused = await run('seed', {
    PROFILE: 'production',
    NOTIFICATIONS_EMAIL_PROVIDERS: 'none',
    KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
    KERNEL_PEPPER: randomBytes(32).toString('base64'),
  })
  expect(refused.err).toMatch(/they are not created in production\.$/)
  expect(refused.code).toBe(1)
})
