/**
 * Checks whether a password is acceptable: long enough, not too long to hash, and hard to guess for
 * an attacker who knows common words and the address. No kinds of characters are required.
 */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { limit } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isBreached } from './breached.ts'

const points_min = 12
const points_max = limit('identity.password_characters', 128, 'characters', 'Longest password')
const bytes_max = 512
const score_min = 2
const judged_points = 32

let estimator: Promise<ZxcvbnFactory> | undefined

const reasons = {
  min_length: {
    detail: `The password is too short. Choose at least ${points_min} characters.`,
    params: { limit: points_min },
  },
  max_length: {
    detail: `The password is too long. Choose at most ${points_max} characters.`,
    params: { limit: points_max },
  },
  common_password: {
    detail: 'The password is easy to guess. Choose several words that do not belong together.',
  },
  contains_identity: {
    detail: 'The password contains the name of the address. Choose another one.',
  },
  breached_password: {
    detail: 'The password is in a public list of stolen passwords. Choose another one.',
  },
} as const

type Needs = Pick<Deps, 'kernel'>

/** Throws `password_rejected` with the constraint that the password breaks. */
export async function requirePassword(
  deps: Needs,
  password: string,
  email_normalized: string,
  pointer = '/password',
): Promise<void> {
  const constraint = await faultOf(deps, password, email_normalized)
  if (!constraint) return
  const { detail, ...limits } = reasons[constraint]
  throw problem('password_rejected', {
    detail,
    errors: [{ location: 'body', pointer, constraint, ...limits }],
  })
}

/** Returns the constraint that the password breaks. */
export async function faultOf(
  { kernel }: Needs,
  given: string,
  email_normalized: string,
): Promise<keyof typeof reasons | undefined> {
  const password = given.normalize('NFC')
  const points = Array.from(password).length
  if (points < points_min) return 'min_length'
  if (points > points_max || Buffer.byteLength(password) > bytes_max) return 'max_length'
  const local = email_normalized.split('@')[0] ?? ''
  if (local.length >= 3 && password.toLowerCase().includes(local)) return 'contains_identity'
  if (!(await isStrong(password, local))) return 'common_password'
  const file = kernel.settings['identity.breached_passwords']
  return file !== null && (await isBreached(file, given)) ? 'breached_password' : undefined
}

/**
 * A text is hard to guess if a part of it is hard to guess, so estimating only the end is enough.
 * The time of the estimator grows faster than the text: up to 224 ms for 119 characters, and a
 * third of that for 32.
 */
async function isStrong(password: string, local: string): Promise<boolean> {
  estimator ??= loadEstimator()
  const loaded = await estimator
  const points = Array.from(password)
  const ends = [points.slice(0, judged_points), points.slice(-judged_points)]
  const parts = points.length > judged_points ? ends : [points]
  return parts.some(part => loaded.check(part.join(''), [local]).score >= score_min)
}

/** Its dictionaries take 16 MB and a moment, so they are loaded with the first password. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [core, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new core.ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
}
