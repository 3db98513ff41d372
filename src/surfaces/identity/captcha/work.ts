/**
 * Proof of work in the format of ALTCHA, so that its widget and libraries fit. The browser looks for
 * the number whose hash with the salt is the challenge. No row is written: the salt has the expiry
 * and the purpose, and our MAC covers the challenge, which is made of the salt and the number. So
 * only the platform chooses how much work it is.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { oneOf } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

export const Purpose = oneOf('registration', 'login', 'login_code', 'password_reset', 'anonymous')
export type Purpose = Static<typeof Purpose>

const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  minLength: 64,
  maxLength: 64,
  examples: ['5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8'],
})
const Salt = Type.String({ maxLength: 200 })

export const Work = Type.Object(
  {
    algorithm: Type.Literal('SHA-256'),
    challenge: Hash,
    maxnumber: Type.Integer(),
    salt: Salt,
    signature: Hash,
  },
  { title: 'CaptchaWork' },
)
export type Work = Static<typeof Work>

const Solution = Type.Object({
  algorithm: Type.Literal('SHA-256'),
  challenge: Hash,
  number: Type.Integer({ minimum: 0, maximum: 100_000_000 }),
  salt: Salt,
  signature: Hash,
})
export type Solution = Static<typeof Solution>

const use = 'identity.captcha'

export function newWork(
  { keys, clock, settings }: Pick<Kernel, 'keys' | 'clock' | 'settings'>,
  purpose: Purpose,
): Work {
  const expires = clock.nowSeconds() + settings['identity.captcha_ttl_seconds']
  const about = `expires=${expires}&purpose=${purpose}`
  // Without the last "&", digits of the number could be moved to the salt.
  const salt = `${randomBytes(12).toString('hex')}?${about}&`
  const maxnumber = settings['identity.captcha_work']
  const challenge = challengeOf(salt, randomInt(maxnumber + 1))
  const signature = keys.mac(use, Buffer.from(challenge)).toString('hex')
  return { algorithm: 'SHA-256', challenge, maxnumber, salt, signature }
}

export function solutionIn(answer: string): Solution | undefined {
  try {
    const given: unknown = JSON.parse(Buffer.from(answer, 'base64').toString('utf8'))
    return Value.Check(Solution, given) ? given : undefined
  } catch {
    return undefined
  }
}

/** When a right and open solution ends, in seconds since the epoch; undefined for any other. */
export function endOfWork(
  { keys, clock }: Pick<Kernel, 'keys' | 'clock'>,
  { challenge, number, salt, signature }: Solution,
  purpose: Purpose,
): number | undefined {
  const right =
    salt.endsWith('&') &&
    challengeOf(salt, number) === challenge &&
    keys.macMatches(use, Buffer.from(challenge), Buffer.from(signature, 'hex'))
  const about = new URLSearchParams(salt.slice(salt.indexOf('?') + 1))
  const fits = about.get('purpose') === purpose
  const expires = Number(about.get('expires'))
  return right && fits && expires > clock.nowSeconds() ? expires : undefined
}

function challengeOf(salt: string, number: number): string {
  return createHash('sha256').update(`${salt}${number}`).digest('hex')
}
