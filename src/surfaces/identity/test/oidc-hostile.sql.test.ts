/**
 * A provider that lies about identities: whatever its id_token says, only a person for whom it
 * signed is logged in, for this login alone.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { UnsecuredJWT } from 'jose'
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import type { Bend } from './oidc-hostile-provider.ts'
import { openHostileWorld } from './oidc-hostile-world.ts'

// Before the platform runs: it refuses work while its process is held up as long as this takes.
const { privateKey: foreign_key } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const world = await openHostileWorld()
const { come, latestFailure, provider } = world
afterAll(() => world.close())

async function accounts(): Promise<number> {
  const { count } = await world.platform.kernel.db.one(
    Type.Object({ count: Type.Integer() }),
    sql`select count(*)::int as count from identity.accounts where email = ${world.victim().email}`,
  )
  return count
}

function payloadOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

function encode(header: object, payload: object): string {
  return [header, payload]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
}

/** Signed with a key that the provider never had. */
function signed(jwt: string, header: object): string {
  const head = encode(header, payloadOf(jwt))
  return `${head}.${sign('RSA-SHA256', Buffer.from(head), foreign_key).toString('base64url')}`
}

/** Signed with something that everybody knows. */
function symmetric(jwt: string, secret: string): string {
  const head = encode({ alg: 'HS256', kid: provider.public_jwk['kid'] }, payloadOf(jwt))
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
}

const now = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)

test('the provider is believed when it is honest', async () => {
  const { ticket } = await come()
  const login = await world.call('POST', '/v1/sessions', { body: { oidc_ticket: ticket } })
  expect(login.status).toBe(201)
  expect(await accounts()).toBe(1)
})

describe('an id_token is refused', () => {
  const claims = (more: Record<string, unknown>): Bend => ({
    claims: { ...world.victim().honest.claims, ...more },
  })
  test.each<[string, string, () => Bend]>([
    [
      'of another issuer',
      'oauth_jwt_claim_comparison_failed',
      () => claims({ iss: 'https://evil.test' }),
    ],
    [
      'for another audience',
      'oauth_jwt_claim_comparison_failed',
      () => claims({ aud: 'somebody-else' }),
    ],
    [
      'for several audiences without saying for whom',
      'oauth_jwt_claim_comparison_failed',
      () => claims({ aud: ['dodeca', 'else'] }),
    ],
    [
      'with another nonce',
      'oauth_jwt_claim_comparison_failed',
      () => claims({ nonce: 'a nonce of another login' }),
    ],
    ['without a nonce', 'oauth_invalid_response', () => claims({ nonce: undefined })],
    [
      'that has expired',
      'oauth_jwt_timestamp_check_failed',
      () => claims({ iat: now() - 7200, exp: now() - 3600 }),
    ],
    [
      'that is not valid yet',
      'oauth_jwt_timestamp_check_failed',
      () => claims({ nbf: now() + 3600 }),
    ],
    ['without a subject', 'oauth_invalid_response', () => claims({ sub: undefined })],
    ['with a subject without end', 'answer_not_accepted', () => claims({ sub: 'x'.repeat(300) })],
    ['with a subject that no row can have', 'answer_not_accepted', () => claims({ sub: 'a\0b' })],
    [
      'without a signature',
      'oauth_invalid_response',
      () => ({
        ...world.victim().honest,
        idToken: jwt => new UnsecuredJWT(payloadOf(jwt)).encode(),
      }),
    ],
    [
      'signed with the public key as a secret',
      'oauth_invalid_response',
      () => ({
        ...world.victim().honest,
        idToken: jwt => symmetric(jwt, JSON.stringify(provider.public_jwk)),
      }),
    ],
    [
      'signed with the client’s name as a secret',
      'oauth_invalid_response',
      () => ({ ...world.victim().honest, idToken: jwt => symmetric(jwt, 'dodeca') }),
    ],
    [
      'whose content was changed',
      'oauth_invalid_response',
      () => ({
        ...world.victim().honest,
        idToken: jwt => {
          const [head, , signature] = jwt.split('.')
          const changed = { ...payloadOf(jwt), sub: 'the victim' }
          return `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
        },
      }),
    ],
    [
      'that is not there',
      'oauth_invalid_response',
      () => ({
        ...world.victim().honest,
        token: ({ body }) => {
          if (body) delete body['id_token']
        },
      }),
    ],
    [
      'where the answer is an error',
      'oauth_response_is_not_conform',
      () => ({
        ...world.victim().honest,
        token: answer => Object.assign(answer, { statusCode: 500, body: { error: 'broken' } }),
      }),
    ],
  ])('%s', async (_, reason, bend) => {
    provider.bend = bend()
    expect(await come()).toEqual({ ticket: null, error: 'provider_error' })
    expect(await latestFailure()).toMatchObject({ method: 'hostile', reason })
    expect(await accounts()).toBe(0)
  })

  test('of a foreign key, and the keys are not fetched repeatedly', async () => {
    expect((await come()).error).toBeNull()
    const before = provider.asked['/jwks']
    for (const kid of [provider.public_jwk['kid'], 'unknown-1', 'unknown-2', 'unknown-3']) {
      provider.bend = {
        ...world.victim().honest,
        idToken: jwt => signed(jwt, { alg: 'RS256', kid }),
      }
      expect((await come()).error).toBe('provider_error')
    }
    expect(provider.asked['/jwks']).toBe(before)
  })
})
