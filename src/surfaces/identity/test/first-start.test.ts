/** The first start makes an administrator once; production asks for one, and for proofs and factors. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../settings.ts'
import { firstAdministrator } from '../../../runtime/first-administrator.ts'
import { guarded, stepUp } from './second-factor.ts'
import { openProductWorld } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call } from '../../../../test/world.ts'

const production = {
  PROFILE: 'production',
  DATABASE_URL: 'embedded',
  NOTIFICATIONS_EMAIL_PROVIDERS: 'none',
  KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
  KERNEL_PEPPER: randomBytes(32).toString('base64'),
}

describe('the first administrator', () => {
  test('of a developer is generated, kept for the owner alone, and logs in', async () => {
    const world = await openProductWorld({})
    const file = join(world.data_dir, 'admin.json')
    const kept = JSON.parse(await readFile(file, 'utf8')) as { email: string; password: string }
    const login = (url: string) => call(url, 'POST', '/v1/sessions', { body: kept })
    const { body } = await login(world.url)
    const me = await world.call('GET', '/v1/me', { token: body.access_token })
    expect(me.body).toMatchObject({ email: 'admin@example.com', status: 'active' })
    expect(me.body.roles).toEqual(expect.arrayContaining(['tenant_admin', 'platform_operator']))
    const second = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
    expect((await login(second.url)).body.account_id).toBe(body.account_id)
    await second.kill()
    await world.close()
  })

  test('is the one that is named', async () => {
    const config = loadConfig(
      {},
      { ADMIN_EMAIL: 'root@example.test', ADMIN_PASSWORD: 'x'.repeat(12) },
    )
    expect(await firstAdministrator(config)).toMatchObject({
      email: 'root@example.test',
      kept_in: null,
    })
  })

  test.for([
    [{ ADMIN_EMAIL: 'notmail' }, 'ADMIN_EMAIL is not a mail address'],
    [
      { ADMIN_EMAIL: 'root@example.test', ADMIN_PASSWORD: 'aaaaaaaaaaaa' },
      'ADMIN_PASSWORD is refused',
    ],
  ] as const)('that is invalid gets an explanation: %j', async ([settings, words]) => {
    await expect(openProductWorld(settings)).rejects.toThrow(words)
  })

  test('of production exists only where both are given', async () => {
    const config = loadConfig({}, { ...production, ADMIN_EMAIL: 'root@example.test' })
    expect(await firstAdministrator(config)).toBeNull()
  })

  test('holds administrative permissions only with a second factor where that is required', async () => {
    const world = await openProductWorld({ IDENTITY_ADMIN_REQUIRES_MFA: 'true' })
    const member = await world.member()
    await world.give(member, 'tenant_admin')
    const me = await world.call('GET', '/v1/me', { token: member.token })
    expect(me.body.roles).toEqual(['tenant_admin'])
    expect(me.body.permissions).not.toContain('identity.accounts.read')
    const refused = await world.call('GET', '/v1/accounts', { token: member.token })
    expect([refused.status, refused.body.code]).toEqual([403, 'mfa_enrollment_required'])
    expect(refused.body.permission).toBe('identity.accounts.read')
    const other = await world.member()
    const without = await world.call('GET', '/v1/accounts', { token: other.token })
    expect(without.body.code).toBe('permission_denied')
    const who = await guarded(world)
    await world.give(who.member, 'tenant_admin')
    const weak = await world.call('GET', '/v1/accounts', { token: who.member.token })
    expect([weak.status, weak.body.code]).toEqual([403, 'step_up_required'])
    const { access_token } = (await stepUp(world, who, who.member.token)).body
    const strong = await world.call('GET', '/v1/accounts', { token: access_token })
    expect(strong.status).toBe(200)
    await world.close()
  })
})

test('production verifies addresses and requires a second factor by default', () => {
  const { settings } = loadConfig({}, production)
  expect(settings['identity.require_verified_email']).toBe(true)
  expect(settings['identity.admin_requires_mfa']).toBe(true)
})
