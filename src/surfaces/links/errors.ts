/** What the link shortener refuses. A link or domain of somebody else is refused like one that is not there. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  link_not_found: { status: 404, title: 'There is no such link' },
  link_expired: { status: 404, title: 'The link has expired' },
  link_disabled: { status: 404, title: 'The link is disabled' },
  link_exhausted: { status: 404, title: 'The link has been used as often as it may be' },
  domain_not_found: { status: 404, title: 'There is no such domain' },
  blocklist_entry_not_found: { status: 404, title: 'There is no such entry' },
  alias_taken: { status: 409, title: 'The alias is taken on this domain' },
  blocklist_entry_exists: { status: 409, title: 'This is on the list already' },
  domain_exists: { status: 409, title: 'The domain is one of yours already' },
  domain_in_use: { status: 409, title: 'The domain is in use' },
  domain_verification_failed: { status: 409, title: 'The DNS record was not found' },
  link_disabled_by_safety: { status: 409, title: 'The link was disabled for safety' },
  alias_invalid: { status: 422, title: 'The alias has a form that is not allowed' },
  alias_reserved: { status: 422, title: 'The alias is reserved' },
  destination_not_allowed: { status: 422, title: 'The destination is not allowed' },
  domain_not_active: { status: 422, title: 'The domain is not active' },
  expires_at_invalid: { status: 422, title: 'The expiry is too near or too far' },
  hostname_invalid: { status: 422, title: 'The host name cannot carry links' },
  pattern_invalid: { status: 422, title: 'The value is nothing that can be searched for' },
  redirect_status_unsafe: { status: 422, title: 'A permanent redirect could not be taken back' },
} as const

export const problem = problemsOf(errors)
