/** What the start says to an operator who mistyped the identity providers, and the cookie over https. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld } from '../../../../test/product-world.ts'
import { loadConfig } from '../../../settings.ts'
import type { Kernel } from '../settings.ts'
import { StartError } from '#dodeca/kernel'
import { readProviders } from '../oidc/providers.ts'
import { openOidc } from '../oidc/relying-party.ts'
import { application } from './oidc-browser.ts'
import { startHostileProvider } from './oidc-hostile-provider.ts'

const folder = await mkdtemp(join(tmpdir(), 'dodeca-oidc-'))
const hostile = await startHostileProvider()
afterAll(async () => {
  await hostile.close()
  await rm(folder, { recursive: true, force: true })
})

const secret = 'never-to-be-shown'
const good = {
  name: 'acme',
  issuer: 'https://login.example.com',
  client_id: 'dodeca',
  client_secret: secret,
}

type Environment = Record<string, string>

function configOf(providers: unknown, more: Environment = {}) {
  const given = typeof providers === 'string' ? providers : JSON.stringify(providers)
  return loadConfig(
    {},
    { IDENTITY_OIDC_PROVIDERS: given, IDENTITY_REDIRECT_URIS: application, ...more },
  ) as unknown as Kernel
}

function open(providers: unknown, more: Environment = {}) {
  return openOidc(configOf(providers, more))
}

function refusalOf(providers: unknown, more: Environment = {}): string {
  try {
    open(providers, more)
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

test('providers are taken from the setting or from a file', async () => {
  const file = join(folder, 'providers.json')
  await writeFile(file, JSON.stringify([good]))
  for (const given of [[good], file]) {
    expect((await open(given).party('acme'))?.name).toBe('acme')
    expect(readProviders(configOf(given))[0]).toMatchObject({
      client_secret: secret,
      scope: 'openid email profile',
      trust_email: false,
      allow: [],
    })
  }
  expect(await open('').party('acme')).toBeUndefined()
})

describe('the start is refused, and the secret is not shown', () => {
  const broken = join(folder, 'broken.json')
  test.each<[string, unknown, Environment, RegExp]>([
    ['no JSON', `[{"client_secret":"${secret}",}]`, {}, /is not valid JSON. Write it like/],
    ['an object', JSON.stringify(good), {}, /is neither a list/],
    ['no such file', '/nowhere/providers.json', {}, /nor the path of a file/],
    ['a file without JSON', broken, {}, /names a file that is not valid JSON/],
    ['a member too many', [good, { ...good, name: 'b', secrets: 1 }], {}, /entry 2/],
    ['a member missing', [{ ...good, client_id: undefined }], {}, /entry 1.*client_id/],
    ['a wrong type', [{ ...good, trust_email: 'yes' }], {}, /entry 1 at \/trust_email/],
    ['a name twice', [good, good], {}, /"acme" twice/],
    ['no address', [{ ...good, issuer: 'login' }], {}, /not a URL/],
    ['plain http', [{ ...good, issuer: 'http://login.example.com' }], {}, /not https/],
    [
      'plain http in production',
      [{ ...good, issuer: 'http://127.0.0.1:9000' }],
      { PROFILE: 'production' },
      /not https/,
    ],
    ['no net', [{ ...good, allow: ['no net'] }], {}, /"no net"/],
    [
      'a script to return to',
      [good],
      { IDENTITY_REDIRECT_URIS: 'javascript:alert(1)' },
      /javascript/,
    ],
    ['a fragment', [good], { IDENTITY_REDIRECT_URIS: 'https://a.test/#x' }, /fragment/],
    ['http to elsewhere', [good], { IDENTITY_REDIRECT_URIS: 'http://a.test/' }, /a\.test/],
  ])('%s', async (_, providers, more, says) => {
    await writeFile(broken, `{ "client_secret": "${secret}"`)
    const refusal = refusalOf(providers, more)
    expect(refusal).toMatch(says)
    expect(refusal).not.toContain(secret)
  })
})

test('an application’s own scheme may be returned to', () => {
  const uri = 'com.example.app:/login'
  expect(open([good], { IDENTITY_REDIRECT_URIS: uri }).redirect_uris.has(uri)).toBe(true)
})

test('over https the cookie is only sent over https', async () => {
  const world = await openProductWorld({
    PUBLIC_URL: 'https://dodeca.test',
    IDENTITY_REDIRECT_URIS: application,
    IDENTITY_OIDC_PROVIDERS: JSON.stringify([
      { name: 'near', issuer: hostile.issuer, client_id: 'dodeca' },
    ]),
  })
  try {
    const { status, headers } = await world.call('POST', '/v1/oidc/near/authorizations', {
      body: { redirect_uri: application },
    })
    expect(status).toBe(201)
    expect(headers.get('set-cookie')).toMatch(
      /^__Secure-oidc_[0-9a-f]{16}=[\w-]{43}; .*HttpOnly; SameSite=Lax; Secure$/,
    )
  } finally {
    await world.close()
  }
})
