/**
 * Writes of identity that are repeated with the same `Idempotency-Key`: one effect and the recorded
 * reply. The reply of a new API key is stored sealed.
 */
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { newKey, type Answer } from '../../../../test/world.ts'
import { sealOf } from '../../../kernel/idempotency/sealed-outcomes.ts'
import { newId, ownRing, sql } from '#dodeca/kernel'
import { storedKey } from '../../../kernel/idempotency/records.ts'
import { resealColumn } from '../../../kernel/work/reseal.ts'
import { sealedOutcomes } from '../../../kernel/work/sealed-outcomes.ts'

const first_key = `k1:${randomBytes(32).toString('base64')}`
const world = await openProductWorld({
  KERNEL_KEYRING: first_key,
  KERNEL_PEPPER: randomBytes(32).toString('base64'),
  IDENTITY_ADMIN_REQUIRES_MFA: 'false',
})
afterAll(() => world.close())

const body = { name: 'worker', permissions: ['identity.accounts.read'] }

async function reader(): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'auditor')
  return member
}

const make = ({ token }: Member, key: string, more: object = {}) =>
  world.call('POST', '/v1/api-keys', { token, key, body: { ...body, ...more } })

async function count({ tenant }: Member, table: string): Promise<number> {
  const { n } = await world.platform.kernel.db.one(
    Type.Object({ n: Type.Integer() }),
    sql`
      select count(*)::int as n from ${sql.id('identity', table)}
      where tenant_id = ${tenant.id}`,
  )
  return n
}

const Stored = Type.Object({ body: Type.Unknown(), sealed_body: Type.Unknown() })

async function stored(who: Member, key: string) {
  const row = await world.platform.kernel.db.one(
    Stored,
    sql`
      select body, sealed_body from kernel.idempotency_records
      where principal_id = ${who.id} and key = ${storedKey(key)}`,
  )
  return row as { readonly body: Buffer | null; readonly sealed_body: Buffer | null }
}

const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

test('twenty requests at once with one key create one API key, and all get it', async () => {
  const [owner, key] = [await reader(), newKey()]
  const answers = await Promise.all(Array.from({ length: 20 }, () => make(owner, key)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(answer => !isReplay(answer))).toHaveLength(1)
  const again = await make(owner, key)
  expect([again.text, isReplay(again)]).toEqual([answers[0]?.text, true])
  expect(await count(owner, 'api_keys')).toBe(1)
  const found = await world.call('GET', '/v1/accounts', { token: again.body.key })
  expect(found.status).toBe(200)
})

test('the recorded reply is sealed, and a rotation of the keyring seals it again', async () => {
  const [owner, key] = [await reader(), newKey()]
  const made = await make(owner, key)
  const { body: clear, sealed_body } = await stored(owner, key)
  expect([clear, sealed_body?.includes(made.body.key)]).toEqual([null, false])
  const ring = ownRing(`k2:${randomBytes(32).toString('base64')},${first_key}`)
  const { db } = world.platform.kernel
  expect(await resealColumn({ db, keys: ring }, sealedOutcomes)).toBeGreaterThan(0)
  const after = (await stored(owner, key)).sealed_body ?? Buffer.alloc(0)
  const name = { principal_id: owner.id, operation: 'POST /v1/api-keys', key: storedKey(key) }
  expect(ring.sealedWith(after)).toBe('k2')
  expect(sealOf(ring, name).open(after).toString()).toBe(made.text)
  expect(() => sealOf(ring, { ...name, key: newKey() }).open(after)).toThrow(
    'a sealed value was changed',
  )
})

test('another body is refused, and the same key of another caller is another key', async () => {
  const [owner, other, key] = [await reader(), await reader(), newKey()]
  const made = await make(owner, key)
  const changed = await make(owner, key, { name: 'another' })
  expect([changed.status, changed.body.code]).toEqual([409, 'idempotency_key_reused'])
  const theirs = await make(other, key)
  expect([theirs.status, isReplay(theirs)]).toEqual([201, false])
  expect(theirs.body.key).not.toBe(made.body.key)
  expect([await count(owner, 'api_keys'), await count(other, 'api_keys')]).toEqual([1, 1])
})

test('a role, a tenant and a signing key are created once', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin', 'platform_operator', 'key_administrator')
  const slug = `t-${newId().slice(-12)}`
  const writes = [
    ['/v1/roles', { role_id: 'reads_accounts', name: 'Reads', permissions: body.permissions }],
    ['/v1/tenants', { slug, name: 'Repeated' }],
    ['/v1/signing-keys/rotate', { mode: 'graceful' }],
  ] as const
  for (const [path, given] of writes) {
    const ask = { token: admin.token, key: newKey(), body: given }
    const first = await world.call('POST', path, ask)
    const again = await world.call('POST', path, ask)
    expect([first.status, first.text]).toEqual([201, again.text])
    expect([again.status, isReplay(again)]).toEqual([201, true])
  }
})

test('an invitation is mailed once, and its record does not contain the address', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin', 'platform_operator')
  const [key, email] = [newKey(), `i-${newId()}@example.test`]
  const invite = () =>
    world.call('POST', '/v1/invitations', { token: admin.token, key, body: { email } })
  const first = await invite()
  const again = await invite()
  expect([first.status, again.status, isReplay(again)]).toEqual([201, 201, true])
  expect(again.body).toEqual(first.body)
  expect(await world.mails(email)).toHaveLength(1)
  expect(await stored(admin, key)).toEqual({ body: null, sealed_body: null })
  const next = await world.call('POST', '/v1/invitations', {
    token: admin.token,
    key: newKey(),
    body: { email },
  })
  expect([next.status, isReplay(next)]).toEqual([200, false])
  expect((await world.mails(email)).length).toBeGreaterThan(0)
})

test('an invitation is repeated also after its account was deleted', async () => {
  const admin = await world.member()
  await world.give(admin, 'tenant_admin', 'platform_operator')
  const email = `i-${newId()}@example.test`
  const ask = { token: admin.token, key: newKey(), body: { email } }
  const { body: made } = await world.call('POST', '/v1/invitations', ask)
  const path = `/v1/accounts/${made.id}`
  expect((await world.call('DELETE', path, { token: admin.token })).status).toBe(204)
  const again = await world.call('POST', '/v1/invitations', ask)
  expect([again.status, isReplay(again)]).toEqual([201, true])
  expect(again.headers.get('location')).toBe(path)
  expect(again.body).toMatchObject({ id: made.id, status: 'deleted', email: null })
  expect(again.text).not.toContain(email)
})

test('only writes with a token, a password or a second factor, and looks at the DNS, ignore the key', () => {
  const { paths } = JSON.parse(world.platform.document()) as {
    paths: Record<string, { post?: { tags: string[]; parameters?: object[]; security?: object[] } }>
  }
  const ignoring = Object.entries(paths).flatMap(([name, { post }]) => {
    if (!post?.tags.includes('Identity')) return []
    const keyed = JSON.stringify(post.parameters ?? []).includes('IdempotencyKey')
    return keyed ? [] : [name]
  })
  expect(ignoring.sort()).toMatchInlineSnapshot(`
    [
      "/v1/accounts",
      "/v1/captcha-challenges",
      "/v1/email-changes",
      "/v1/email-verification-requests",
      "/v1/email-verifications",
      "/v1/factor-resets/stop",
      "/v1/login-codes",
      "/v1/login-options",
      "/v1/mfa/challenges",
      "/v1/mfa/challenges/{challenge_id}/verify",
      "/v1/mfa/methods",
      "/v1/mfa/methods/{method_id}/activate",
      "/v1/mfa/recovery-codes",
      "/v1/oauth/introspect",
      "/v1/oauth/revoke",
      "/v1/oauth/token",
      "/v1/oidc/{provider}/authorizations",
      "/v1/oidc/{provider}/callback",
      "/v1/organization/domains/{domain_id}/verify",
      "/v1/passkey-options",
      "/v1/password-changes",
      "/v1/password-reset-requests",
      "/v1/password-resets",
      "/v1/sessions",
      "/v1/sessions/current/access-tokens",
      "/v1/sessions/{session_id}/refresh",
    ]
  `)
})
