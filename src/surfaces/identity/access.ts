/**
 * Implements the kernel's `Access`: it finds out who is calling. A session's token is verified in
 * this process and is refused once its session is on the revocation list; if the list may be
 * incomplete, the list is read first. An API key is looked up
 * at each request. The grants of a principal are also read at each request, so a revoked role has
 * no effect any more.
 */
import { after, type Access, type Principal } from '#dodeca/kernel'
import {
  apiKeyGrants,
  apiKeyPrincipal,
  apiKeyStands,
  keyTokenPrincipal,
} from './api-keys/authenticate.ts'
import { openClientOrigins } from './clients/client-origins.ts'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'
import type { ReadFacts } from './keys/access-tokens.ts'
import { accountGrants, whyTooWeak } from './roles/account-grants.ts'

const elsewhere = 'This token works at /mcp alone. Get one for this API.'

type Needs = Pick<Deps, 'kernel' | 'permissions' | 'tokens' | 'denied'>

export function openAccess(deps: Needs): Access {
  const principalOf = (facts: ReadFacts): Principal | Promise<Principal> => {
    const { session_id, tenant_id } = facts
    return after(deps.denied.hasEnded(session_id, tenant_id), ended => {
      if (ended) {
        const detail = 'The session of this token has ended. Log in again.'
        throw problem('invalid_token', { detail })
      }
      const { account_id: id, aal, auth_time, expires_at, narrow } = facts
      const of = { id, tenant_id, kind: 'account', session_id, aal, auth_time, expires_at } as const
      return narrow ? { ...of, ...narrow } : of
    })
  }
  return {
    authenticate: ({ token, resource }) => {
      if (token.startsWith('ak_')) return apiKeyPrincipal(deps.kernel, token)
      if (token.startsWith('ac_')) return keyTokenPrincipal(deps.kernel, token)
      return after(deps.tokens.verify(token), facts => {
        if (facts.mcp && resource !== '/mcp') throw problem('invalid_token', { detail: elsewhere })
        return principalOf(facts)
      })
    },
    stands: principal =>
      principal.session_id === null
        ? apiKeyStands(deps.kernel, principal)
        : after(deps.denied.hasEnded(principal.session_id, principal.tenant_id), ended => !ended),
    grants: (reader, principal) =>
      principal.kind === 'service'
        ? apiKeyGrants(reader, deps, principal)
        : accountGrants(reader, deps, principal),
    isClientOrigin: openClientOrigins(deps.kernel),
    whyDenied: (reader, principal, permission) => whyTooWeak(reader, deps, principal, permission),
  }
}
