/** Second factors for the crawler: a security key answers as often as it is asked, a code but once. */
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { makeAuthenticator, type Authenticator } from './authenticator.ts'
import type { Making } from './crawl-people.ts'
import { origin } from './second-factor.ts'

type Keyed = { readonly method_id: string; readonly key: Authenticator }

const keys = new WeakMap<Member, Promise<Keyed>>()
const attestations = new Map<string, object>()
const assertions = new Map<string, object>()

/** A key that waits for its activation. */
export async function pendingMethod(maker: Making): Promise<string> {
  return (await enrol(maker)).method_id
}

async function enrol({ ask }: Making): Promise<Keyed> {
  const { id, public_key } = await ask('POST', '/v1/mfa/methods', {
    type: 'webauthn',
    label: 'Key',
  })
  const key = makeAuthenticator(origin)
  attestations.set(id, key.create(public_key))
  return { method_id: id, key }
}

export function attestation(method_id: string): object {
  return answerFor(attestations, method_id)
}

/** The active key of this person, who gets it with the first question. */
export function activeKey(maker: Making): Promise<Keyed> {
  const made = keys.get(maker.person) ?? makeActive(maker)
  keys.set(maker.person, made)
  return made
}

async function makeActive(maker: Making): Promise<Keyed> {
  const made = await enrol(maker)
  const body = { attestation: attestation(made.method_id) }
  await maker.ask('POST', `/v1/mfa/methods/${made.method_id}/activate`, body)
  return made
}

/** A challenge of this person's session, whose answer is known here. */
export async function challenge(maker: Making): Promise<string> {
  const { method_id, key } = await activeKey(maker)
  const opened = await maker.ask('POST', '/v1/mfa/challenges', { method_id, purpose: 'step_up' })
  assertions.set(opened.id, key.get(opened.public_key))
  return opened.id
}

export function assertion(challenge_id: string): object {
  return answerFor(assertions, challenge_id)
}

/** The same person once the second factor was proven. */
export async function strong(maker: Making): Promise<Member> {
  const id = await challenge(maker)
  const body = { assertion: assertion(id) }
  const { access_token } = await maker.ask('POST', `/v1/mfa/challenges/${id}/verify`, body)
  return { ...maker.person, token: access_token }
}

function answerFor(answers: ReadonlyMap<string, object>, id: string): object {
  const answer = answers.get(id)
  if (!answer) throw new Error(`${id} was not asked for here`)
  return answer
}

/** Gives the account a second factor that its owner has lost. */
export async function loseFactor({ world, person }: Making, account_id: string): Promise<void> {
  const method_id = newId()
  await world.platform.kernel.db.run(sql`
    insert into identity.mfa_methods (tenant_id, id, account_id, type, status, label)
    values (${person.tenant.id}, ${method_id}, ${account_id}, 'totp', 'active', 'Lost phone')`)
}

/** A reset that waits, and the account whose factors it would remove. */
async function askReset(maker: Making): Promise<{ readonly id: string; readonly email: string }> {
  const { id: account_id, email } = await maker.world.member(maker.person.tenant)
  await loseFactor(maker, account_id)
  const path = `/v1/accounts/${account_id}/factor-resets`
  const { id } = await maker.ask('POST', path, { reason: 'The phone is lost.' })
  return { id, email }
}

export async function waitingReset(maker: Making): Promise<string> {
  return (await askReset(maker)).id
}

/** The token with which the owner of an account stops a reset. */
export async function stopToken(maker: Making): Promise<string> {
  const { email } = await askReset(maker)
  const [token] = (await maker.world.mails(email)).flatMap(mail =>
    mail.template === 'factor_reset_requested' ? (mail.token ?? []) : [],
  )
  if (token === undefined) throw new Error('the owner was not warned')
  return token
}
