/**
 * A person whose account or tenant is disabled between authentication and session gets no session,
 * for every kind of login. The disabling is held open until the login waits for it, then committed.
 */
import { afterAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Tenant } from '../../../../test/product-world.ts'
import { eventually, type Answer } from '../../../../test/world.ts'
import { openOidcWorld } from './oidc-world.ts'
import { makeAuthenticator } from './authenticator.ts'
import { enrolTotp, activate, nextCode, origin, verify } from './second-factor.ts'

const world = await openOidcWorld()
const { db } = world.platform.kernel
afterAll(() => world.close())

type Proven = {
  readonly account_id: string
  readonly tenant: Tenant
  /** The last step: what would answer the session. */
  finish(): Promise<Answer>
}

async function codeMailed(): Promise<Proven> {
  const { id: account_id, email, tenant } = await world.member()
  await world.prove({ email })
  const asked = { email, tenant: tenant.slug }
  const { id } = (await world.call('POST', '/v1/login-codes', { body: asked })).body
  const code = (await world.mails(email)).at(-1)?.code
  return {
    account_id,
    tenant,
    finish: () => world.call('POST', '/v1/sessions', { body: { login_code: { id, code } } }),
  }
}

const ways: Record<string, () => Promise<Proven>> = {
  'a password': async () => {
    const member = await world.member()
    return { account_id: member.id, tenant: member.tenant, finish: () => world.login(member) }
  },
  'a second factor': async () => {
    const member = await world.member()
    const { method_id, app } = await enrolTotp(world, member.token)
    const code = await nextCode(world, app)
    expect((await activate(world, member.token, method_id, { code })).status).toBe(200)
    const { challenge, login_token } = (await world.login(member)).body
    const next = await nextCode(world, app)
    return {
      account_id: member.id,
      tenant: member.tenant,
      finish: () => verify(world, challenge.challenge_id, login_token, { code: next }),
    }
  },
  'a passkey': async () => {
    const { id, tenant, token } = await world.member()
    const body = { type: 'passkey', label: 'Key' }
    const enrolled = (await world.call('POST', '/v1/mfa/methods', { token, body })).body
    const key = makeAuthenticator(origin)
    const attestation = key.create(enrolled.public_key)
    expect((await activate(world, token, enrolled.id, { attestation })).status).toBe(200)
    const { public_key } = (await world.call('POST', '/v1/passkey-options')).body
    const passkey = key.get(public_key)
    return {
      account_id: id,
      tenant,
      finish: () => world.call('POST', '/v1/sessions', { body: { passkey } }),
    }
  },
  'a mailed code': codeMailed,
  'an identity provider': async () => {
    const tenant = await world.tenant()
    const { sub } = world.someone()
    const first = await world.redeem((await world.come(sub, { tenant })).ticket)
    const { ticket } = await world.come(sub, { tenant })
    return {
      account_id: first.body.account_id,
      tenant,
      finish: () => world.redeem(ticket),
    }
  },
}

const disabling = {
  account: ({ account_id }: Proven) =>
    sql`update identity.accounts set status = 'disabled' where id = ${account_id}`,
  tenant: ({ tenant }: Proven) =>
    sql`update identity.tenants set state = 'disabled' where id = ${tenant.id}`,
}

const cases = Object.keys(ways).flatMap(way => [
  [way, 'account'] as const,
  [way, 'tenant'] as const,
])

test.each(cases)('by %s, while the %s is disabled', async (way, what) => {
  const proven = await ways[way]?.()
  if (!proven) throw new Error(`there is no way ${way}`)
  await db.run(sql`
    update identity.sessions set revoked_at = now(), revoked_reason = 'admin' where account_id = ${proven.account_id}`)
  let answer: Promise<Answer> | undefined
  await db.tx(async tx => {
    await tx.run(disabling[what](proven))
    answer = proven.finish()
    await eventually('the login waits', async () => (await waiting()) > 0)
  })
  const refused = await answer
  expect([refused?.status, refused?.body.code]).toEqual([
    401,
    way === 'a second factor' ? 'mfa_challenge_invalid' : 'invalid_credentials',
  ])
  expect(await alive(proven)).toBe(0)
})

const changes = {
  password: ['/v1/password-changes', { new_password: 'a wholly different phrase 71' }],
  address: ['/v1/email-changes', { email: 'elsewhere@example.test' }],
} as const

test.each(['password', 'address'] as const)(
  'a change of the %s counts for nothing once the password that it was proven with was reset',
  async what => {
    const { id, token, password: current_password } = await world.member()
    const [path, more] = changes[what]
    let answer: Promise<Answer> | undefined
    await db.tx(async tx => {
      await tx.run(sql`
        update identity.credentials set password_changed_at = kernel.now() where account_id = ${id}`)
      answer = world.call('POST', path, { token, body: { current_password, ...more } })
      await eventually('the change waits', async () => (await waiting()) > 0)
    })
    expect([(await answer)?.status, (await answer)?.body.code]).toEqual([
      401,
      'invalid_credentials',
    ])
  },
)

type Holding = { readonly account_id: string; use(): Promise<Answer> }

/** What uses up a token of an account. */
const tokens: Record<string, () => Promise<Holding>> = {
  'a reset': async () => {
    const { id, email, tenant } = await world.member()
    const body = { email, tenant: tenant.slug }
    await world.call('POST', '/v1/password-reset-requests', { body })
    const token = (await world.mails(email)).at(-1)?.token
    const reset = { token, new_password: 'a wholly different phrase 71' }
    return {
      account_id: id,
      use: () => world.call('POST', '/v1/password-resets', { body: reset }),
    }
  },
  'a change of address': async () => {
    const { id, email: before, token, password: current_password } = await world.member()
    const email = `new-${before}`
    await world.call('POST', '/v1/email-changes', { token, body: { email, current_password } })
    const body = { token: (await world.mails(email)).at(-1)?.token }
    return {
      account_id: id,
      use: () => world.call('POST', '/v1/email-verifications', { token, body }),
    }
  },
  'a log-in at a provider': async () => {
    const tenant = await world.tenant()
    const { sub } = world.someone()
    const first = await world.redeem((await world.come(sub, { tenant })).ticket)
    const { ticket } = await world.come(sub, { tenant })
    return { account_id: first.body.account_id, use: () => world.redeem(ticket) }
  },
  'a mailed code': async () => {
    const { account_id, finish } = await codeMailed()
    return { account_id, use: finish }
  },
}

test.each(Object.keys(tokens))(
  '%s that waits for the account holds no token that an erasure deletes',
  async what => {
    const holding = await tokens[what]?.()
    if (!holding) throw new Error(`there is no ${what}`)
    const { account_id, use } = holding
    let answer: Promise<Answer> | undefined
    await db.tx(async tx => {
      await tx.run(sql`select from identity.accounts where id = ${account_id} for update`)
      answer = use()
      await eventually('it waits', async () => (await waiting()) > 0)
      const free = await tx.run(sql`
        select from identity.one_time_challenges
        where consumed_at is null and (account_id = ${account_id}
          or details ->> 'email_normalized' = (
            select email_normalized from identity.accounts where id = ${account_id}))
        for update nowait`)
      expect(free).toBeGreaterThan(0)
    })
    expect((await answer)?.status).toBeLessThan(300)
  },
)

/** How many connections of this database wait for a row lock. */
async function waiting(): Promise<number> {
  const { count } = await db.one(
    Type.Object({ count: Type.Integer() }),
    sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return count
}

async function alive({ account_id }: Proven): Promise<number> {
  const { count } = await db.one(
    Type.Object({ count: Type.Integer() }),
    sql`
      select count(*)::int as count from identity.sessions
      where account_id = ${account_id} and revoked_at is null`,
  )
  return count
}
