/** Refuses API keys where only a person can act: a key has no password, no profile and no factors. */
import type { Principal } from '#dodeca/kernel'
import { problem } from './errors.ts'

export function requirePerson({ kind }: Pick<Principal, 'kind'>): void {
  if (kind === 'account') return
  const detail = 'An API key cannot do this. Use the access token of a person who has logged in.'
  throw problem('permission_denied', { detail })
}
