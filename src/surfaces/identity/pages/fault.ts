/** The text that a page shows about an error, and the field beside which it is shown. */
import type { Problem } from '#dodeca/kernel'
import type { Words } from './words-en.ts'

export type Fault = {
  readonly code: string
  /** The field with the error; null for an error of the whole form. */
  readonly field: string | null
  readonly says: string
}

const fields: Readonly<Record<string, string>> = {
  password_rejected: 'password',
  mfa_verification_failed: 'code',
  mfa_challenge_invalid: 'code',
}

export function faultOf({ code, details }: Problem, words: Words): Fault {
  const [first] = details.errors ?? []
  const field = fields[code] ?? first?.pointer?.slice(1) ?? null
  const constraint = first?.constraint ?? ''
  const says = words.faults[code] ?? words.faults[constraint] ?? words.faults['other'] ?? ''
  return { code, field, says: says.replace('{n}', String(details.retry_after ?? 60)) }
}
