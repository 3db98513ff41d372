/**
 * Whether a password may be one: long enough, not too long to hash, not guessed within a moment by
 * somebody who knows the usual words and the address. There are no rules of composition.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { problem } from '../errors.ts'

const points_min = 12
const points_max = 128
const bytes_max = 512
const score_min = 2

let estimator: ZxcvbnFactory | undefined

/** Throws `password_rejected` with the constraint that it breaks. */
export function demandPassword(
  password: string,
  email_normalized: string,
  pointer = '/password',
): void {
  const constraint = broken(password.normalize('NFC'), email_normalized)
  if (constraint) {
    throw problem('password_rejected', { errors: [{ location: 'body', pointer, constraint }] })
  }
}

function broken(password: string, email_normalized: string): string | undefined {
  const points = [...password].length
  if (points < points_min) return 'min_length'
  if (points > points_max || Buffer.byteLength(password) > bytes_max) return 'max_length'
  const local = email_normalized.split('@')[0] ?? ''
  if (local.length >= 3 && password.toLowerCase().includes(local)) return 'contains_identity'
  // The dictionaries take a moment to load, so they do when the first password is judged.
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  return estimator.check(password, [local]).score < score_min ? 'common_password' : undefined
}
