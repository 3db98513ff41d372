/**
 * The first day of a production platform: an administrator is created on the machine, adds an
 * authenticator there, logs in on the account pages, and may administer.
 */
import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { URI } from 'otpauth'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { commandsWith } from '../src/cli/test/in-process.ts'
import { openBrowser } from '../src/surfaces/identity/pages/test/visitor.ts'
import { sql } from '#dodeca/kernel'
import { openProductWorld } from './product-world.ts'
import { eventually } from './world.ts'

const world = await openProductWorld({
  PROFILE: 'production',
  PUBLIC_URL: 'https://dodeca.test',
  KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
  KERNEL_PEPPER: randomBytes(32).toString('base64'),
  KERNEL_DRAIN_SECONDS: '0',
  NOTIFICATIONS_EMAIL_PROVIDERS: 'none',
})
afterAll(() => world.close())

const commands = commandsWith(world.environment)
const email = 'root@example.test'

test('the first administrator of production logs in with a second factor and administers', async () => {
  const roles = '--roles=tenant_admin,platform_operator'
  const { password } = await commands.json(['user', 'create', email, roles])
  const weak = openBrowser(world)
  expect((await weak.send('/account/login', { email, password })).to).toBe('/account/')
  const refused = await accounts(weak.cookies.get('__Secure-at')?.value)
  expect([refused.status, refused.body.code]).toEqual([403, 'mfa_enrollment_required'])
  expect(refused.body.detail).toContain('https://dodeca.test/account/')

  const [code = ''] = await recoveryCodes()
  const browser = openBrowser(world)
  const half = await browser.send('/account/login', { email, password })
  expect(half.to).toMatch(/^\/account\/second-factor/)
  expect((await browser.send('/account/second-factor', { code })).to).toBe('/account/')
  const token = browser.cookies.get('__Secure-at')?.value
  const listed = await accounts(token)
  expect(listed.status).toBe(200)
  expect(listed.body.data).toMatchObject([{ email }])
  expect((await browser.open('/account/')).text).toContain('platform_operator, tenant_admin')
})

test('mails without a mail server are recorded as skipped, and none wait', async () => {
  const Row = Type.Object({
    state: Type.String(),
    error_code: Type.Union([Type.String(), Type.Null()]),
  })
  const rows = () =>
    world.platform.kernel.db.many(
      Row,
      sql`select distinct state, error_code from notifications.delivery_attempts where channel = 'email'`,
    )
  await eventually('the mail was decided on', async () => (await rows()).length > 0)
  expect(await rows()).toEqual([{ state: 'skipped', error_code: 'no_provider' }])
})

test('the first factor brings its codes, and no mail says that earlier ones were replaced', async () => {
  const Mail = Type.Object({ template: Type.String() })
  const mails = await world.platform.kernel.db.many(Mail, sql`select template from identity.mails`)
  expect(mails.map(one => one.template)).toContain('factor_added')
  expect(mails.map(one => one.template)).not.toContain('recovery_codes_renewed')
})

const key = () => randomBytes(32).toString('base64')
const ring = world.environment['KERNEL_KEYRING']

test.for([
  ['another key under the same id', { KERNEL_KEYRING: `k1:${key()}` }, 'The key k1 of the keyring'],
  ['a ring without the key', { KERNEL_KEYRING: `k2:${key()}` }, 'The keyring lacks the key k1'],
  ['another pepper', { KERNEL_PEPPER: key() }, 'The pepper is not the one'],
] as const)('%s stops the start with a sentence', async ([, keys, sentence]) => {
  for (const command of [
    ['start', '--port=0'],
    ['user', 'list'],
  ]) {
    const { code, err } = await commands.run(command, keys)
    expect([code, err.split('\n').length]).toEqual([1, 1])
    expect(err).toContain(sentence)
  }
})

test('a new key before the former one is a rotation', async () => {
  const { code } = await commands.run(['user', 'list'], { KERNEL_KEYRING: `k3:${key()},${ring}` })
  expect(code).toBe(0)
  expect((await commands.run(['user', 'list'])).code).toBe(0)
})

function accounts(token: string | undefined) {
  return world.call('GET', '/v1/accounts', { headers: { cookie: `__Secure-at=${token}` } })
}

/** Types the code of the address that the command prints. */
async function recoveryCodes(): Promise<string[]> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const lines: string[] = []
  stdout.on('data', (chunk: Buffer) => {
    lines.push(...chunk.toString().trim().split('\n'))
    const { otpauth_uri } = JSON.parse(lines[0] ?? '')
    if (!stdin.writableEnded) stdin.end(`${URI.parse(otpauth_uri).generate()}\n`)
  })
  const { code } = await commands.run(['user', 'enrol-totp', email, '--json'], {}, stdin, stdout)
  expect(code).toBe(0)
  return JSON.parse(lines[1] ?? '').recovery_codes
}
