/** Access tokens: what jose, as an outsider with the public list, accepts, and what the platform refuses. */
import { createHmac } from 'node:crypto'
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  type CryptoKey,
} from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { openProductWorld } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { signingKeyOf } from './signing-key.ts'

const world = await openProductWorld()
afterAll(() => world.close())

const issuer = 'http://dodeca.test'
const narrow = `${issuer}/v1`
const jwks = createRemoteJWKSet(new URL(`${world.url}/.well-known/jwks.json`))
const member = await world.member()
const own = await signingKeyOf(world.platform)
const foreign = await generateKeyPair('ES256')

const me = async (token: string) => {
  const { status, body, headers } = await world.call('GET', '/v1/me', { token })
  return { status, code: body.code ?? null, challenge: headers.get('www-authenticate') }
}

type Forged = { header?: object; claims?: object; key?: CryptoKey | Uint8Array }

/** By a key of the attacker's, under our key's id: a verifier that follows the header finds it genuine. */
async function brought(): Promise<string> {
  const jwk = await exportJWK(foreign.publicKey)
  return await forge({ key: foreign.privateKey, header: { jwk, jku: `${issuer}/jwks` } })
}

async function forge({ header = {}, claims = {}, key }: Forged): Promise<string> {
  const now = Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000)
  return await new SignJWT({
    iss: issuer,
    aud: 'dodeca',
    sub: member.id,
    sid: member.session_id,
    tid: member.tenant.id,
    iat: now,
    exp: now + 300,
    auth_time: now,
    aal: 'aal1',
    amr: ['pwd'],
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: own.kid, ...header })
    .sign(key ?? own.key)
}

describe('an access token', () => {
  test('verifies with jose against the public list', async () => {
    const { payload, protectedHeader } = await jwtVerify(member.token, jwks, {
      issuer,
      audience: 'dodeca',
      typ: 'at+jwt',
      algorithms: ['ES256'],
    })
    expect(payload).toMatchObject({
      sub: member.id,
      sid: member.session_id,
      tid: member.tenant.id,
      aal: 'aal1',
      amr: ['pwd'],
    })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600)
    expect(Object.keys(payload)).not.toContain('email')
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(member.token.length).toBeLessThanOrEqual(1024)
  })

  test('that is forged as ours is forged well: the unchanged one is accepted', async () => {
    expect((await me(await forge({}))).status).toBe(200)
    const claims = { aud: narrow, scope: 'openid' }
    expect((await me(await forge({ claims }))).status).toBe(200)
  })

  test.for<[string, () => Promise<string> | string]>([
    ['of another key', () => forge({ key: foreign.privateKey })],
    ['of another key id', () => forge({ header: { kid: 'other' } })],
    ['without a key id', () => forge({ header: { kid: undefined } })],
    ['with a scope, for the whole account', () => forge({ claims: { scope: 'openid' } })],
    ['of a client, for the whole account', () => forge({ claims: { client_id: 'app' } })],
    ['bound, for the whole account', () => forge({ claims: { bound: true } })],
    ['for this API without a scope', () => forge({ claims: { aud: narrow } })],
    ['of a client without a scope', () => forge({ claims: { aud: narrow, client_id: 'app' } })],
    ['whose scope is a list', () => forge({ claims: { aud: narrow, scope: ['openid'] } })],
    ['for another audience', () => forge({ claims: { aud: 'other' } })],
    ['for a list of audiences', () => forge({ claims: { aud: ['dodeca', 'other'] } })],
    ['of another issuer', () => forge({ claims: { iss: 'http://elsewhere.test' } })],
    ['of the type JWT', () => forge({ header: { typ: 'JWT' } })],
    ['without a type', () => forge({ header: { typ: undefined } })],
    [
      'for the realtime socket',
      () => forge({ header: { typ: 'realtime+jwt' }, claims: { aud: 'realtime' } }),
    ],
    ['expired by 6 seconds', () => forge({ claims: expired(6) })],
    ['of a clock that is an hour ahead', () => forge({ claims: ahead(3600) })],
    ['without an expiry', () => forge({ claims: { exp: undefined } })],
    ['without a session', () => forge({ claims: { sid: undefined } })],
    [
      'with another key in its header',
      () => forge({ header: { jku: `${world.url}/x`, kid: 'x' } }),
    ],
    ['of another key that its header brings or leads to', () => brought()],
    [
      'with a header that must be understood',
      () => forge({ header: { crit: ['b64'], b64: true } }),
    ],
    ['with alg none', () => unsigned(member.token)],
    ['signed with the public key as a secret', () => confused()],
    ['with a changed claim', () => changed(member.token)],
    [
      'with a changed claim, after the unchanged one was accepted',
      async () => {
        expect((await me(member.token)).status).toBe(200)
        return changed(member.token)
      },
    ],
    ['cut short', () => member.token.slice(0, -4)],
    ['that is not a token', () => 'a.b.c'],
  ])('%s is refused', async ([, make]) => {
    const { status, code, challenge } = await me(await make())
    expect({ status, code, challenge }).toEqual({
      status: 401,
      code: 'invalid_token',
      challenge: `Bearer error="invalid_token", resource_metadata="${issuer}/.well-known/oauth-protected-resource/v1"`,
    })
  })

  test('of a clock that is 30 seconds ahead is accepted', async () => {
    expect((await me(await forge({ claims: ahead(30) }))).status).toBe(200)
  })

  test('that expired 3 seconds ago is within the leeway', async () => {
    expect((await me(await forge({ claims: expired(3) }))).status).toBe(200)
  })

  test('for the realtime socket comes from the same key and is not an access token', async () => {
    const { session_id, id, tenant } = member
    const { token } = await world.identity.realtimeToken(session_id, id, tenant.id)
    const { payload } = await jwtVerify(token, jwks, { issuer, audience: 'realtime' })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
    expect((await me(token)).code).toBe('invalid_token')
  })
})

describe('the public list', () => {
  test('may be cached, has a strong tag and shows public members only', async () => {
    const { headers, body } = await world.call('GET', '/.well-known/jwks.json')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    for (const key of body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    }
    const again = await world.call('GET', '/.well-known/jwks.json', {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  test('shows a next key long before it signs, and drops a revoked one at once', async () => {
    const keeper = await world.member()
    await world.give(keeper, 'key_administrator')
    const rotate = (mode: string, token = keeper.token) =>
      world.call('POST', '/v1/signing-keys/rotate', { token, body: { mode } })
    expect((await rotate('graceful', (await world.member()).token)).status).toBe(403)
    const next = await rotate('graceful')
    expect(next.body).toMatchObject({ state: 'next' })
    await eventually('the next key is published', async () => {
      const { body } = await world.call('GET', '/.well-known/jwks.json')
      return body.keys.some((key: { kid: string }) => key.kid === next.body.kid)
    })
    const { body } = await world.login(keeper)
    expect(decodeProtectedHeader(body.access_token).kid).toBe(own.kid)
    await world.platform.kernel.db.run(sql`
      update identity.signing_keys set activates_at = kernel.now() where kid = ${next.body.kid}`)
    await eventually('the next key is active', async () => {
      const { state } = await world.platform.kernel.db.one(
        Type.Object({ state: Type.String() }),
        sql`select state from identity.signing_keys where kid = ${next.body.kid}`,
      )
      return state === 'active'
    })
    const after = await eventually('the next key signs', async () => {
      const { body: tokens } = await world.login(keeper)
      const { kid } = decodeProtectedHeader(tokens.access_token)
      return kid === next.body.kid && (tokens as { access_token: string })
    })
    expect((await me(keeper.token)).status).toBe(200)
    const revoked = await rotate('revoke', after.access_token)
    expect(revoked.status).toBe(201)
    await eventually(
      'old tokens count no more',
      async () => (await me(keeper.token)).status === 401,
    )
    const refreshed = await world.call('POST', `/v1/sessions/${keeper.session_id}/refresh`, {
      body: { refresh_token: keeper.refresh_token },
    })
    expect((await me(refreshed.body.access_token)).status).toBe(200)
    const { count } = await world.platform.kernel.db.one(
      Type.Object({ count: Type.Integer() }),
      sql`select count(*)::int from identity.signing_keys where state = 'active'`,
    )
    expect(count).toBe(1)
  })
})

function expired(seconds: number) {
  const now = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  return { iat: now - 300 - seconds, exp: now - seconds }
}

function ahead(seconds: number) {
  const now = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  return { iat: now + seconds, exp: now + seconds + 300 }
}

function unsigned(token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt', kid: own.kid }))
  return `${header.toString('base64url')}.${token.split('.')[1]}.`
}

async function confused(): Promise<string> {
  const { body } = await world.call('GET', '/.well-known/jwks.json')
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: own.kid }))
  const text = `${header.toString('base64url')}.${member.token.split('.')[1]}`
  const mac = createHmac('sha256', JSON.stringify(body.keys[0])).update(text).digest('base64url')
  return `${text}.${mac}`
}

function changed(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  const other = Buffer.from(JSON.stringify({ ...claims, aal: 'aal2' })).toString('base64url')
  return `${header}.${other}.${signature}`
}

test('a process that cannot read the keys after a rotation goes on', async () => {
  const keeper = await world.member()
  await world.give(keeper, 'key_administrator')
  const { db } = world.platform.kernel
  const other = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
  const ask = async (method: string, path: string, body?: object) =>
    (await call(other.url, method, path, { token: keeper.token, ...(body && { body }) })).status
  // A key that this process has never read, and cannot open.
  await db.run(sql`
    insert into identity.signing_keys (kid, state, public_jwk, private_key, activates_at)
    select 'damaged', 'next', public_jwk, '\\x00', kernel.now() + interval '1 day'
    from identity.signing_keys where state = 'active'`)
  expect(await ask('POST', '/v1/signing-keys/rotate', { mode: 'graceful' })).toBe(201)
  for (let asked = 0; asked < 20; asked++) expect(await ask('GET', '/v1/me')).toBe(200)
  await db.run(sql`delete from identity.signing_keys where kid = 'damaged'`)
  await other.kill()
})
