/**
 * The refusals of the link shortener. A link or domain of another owner gets the same refusal as a
 * missing one.
 */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  link_not_found: {
    status: 404,
    title: 'There is no such link',
    cause: 'No link has this code on this domain, or it is not yours.',
    cure: 'Find the code with `GET /v1/links`.',
  },
  link_expired: {
    status: 404,
    title: 'The link has expired',
    cause: 'The time of the link in `expires_at` is over.',
    cure: 'Its owner can set a later time with `PATCH /v1/links/{code}`.',
  },
  link_disabled: {
    status: 404,
    title: 'The link is disabled',
    cause: 'The owner, a moderator or the blocklist disabled the link.',
    cure: 'Its owner sees why with `GET /v1/links/{code}`.',
  },
  link_exhausted: {
    status: 404,
    title: 'The link has been used as often as it may be',
    cause: 'The link was followed as often as `max_clicks` allows.',
    cure: 'Its owner can raise `max_clicks` with `PATCH /v1/links/{code}`.',
  },
  domain_not_found: {
    status: 404,
    title: 'There is no such domain',
    cause: 'No domain has this id, or it is not yours.',
    cure: 'Find the id with `GET /v1/domains`.',
  },
  blocklist_entry_not_found: {
    status: 404,
    title: 'There is no such entry',
    cause: 'No entry of the list has this id.',
    cure: 'Find the id with `GET /v1/link-blocklist`.',
  },
  alias_taken: {
    status: 409,
    title: 'The alias is taken on this domain',
    cause:
      'Another link on this domain has this alias. Codes of deleted links are never given again.',
    cure: 'Choose another alias, or leave it out to get a free code.',
  },
  blocklist_entry_exists: {
    status: 409,
    title: 'This is on the list already',
    cause: 'The same value is on the list.',
    cure: 'Use the entry that exists.',
  },
  domain_exists: {
    status: 409,
    title: 'The domain is one of yours already',
    cause: 'You have claimed this host before.',
    cure: 'Find it with `GET /v1/domains`.',
  },
  domain_in_use: {
    status: 409,
    title: 'The domain is in use',
    cause: 'Another tenant has proven this host, or links still use it.',
    cure: 'Delete its links first, or use another host.',
  },
  domain_verification_failed: {
    status: 409,
    title: 'The DNS record was not found',
    cause: 'The DNS has no record with the token yet.',
    cure: 'Publish the record of the claim, wait some minutes for the DNS, then verify again.',
  },
  link_disabled_by_safety: {
    status: 409,
    title: 'The link was disabled for safety',
    cause: 'The destination is known to do harm.',
    cure: 'Ask a moderator to look at the link.',
  },
  alias_invalid: {
    status: 422,
    title: 'The alias has a form that is not allowed',
    cause: 'The alias has a character, a length or a form that is not allowed.',
    cure: 'Use 3 to 64 letters, digits, `-` and `_`.',
  },
  alias_reserved: {
    status: 422,
    title: 'The alias is reserved',
    cause: 'The alias is a path of the platform or a word that is kept back.',
    cure: 'Choose another alias.',
  },
  destination_not_allowed: {
    status: 422,
    title: 'The destination is not allowed',
    cause: 'The destination is private, a shortener, on the blocklist or known to do harm.',
    cure: 'Use a public address of your own site.',
  },
  domain_not_active: {
    status: 422,
    title: 'The domain is not active',
    cause: 'The domain is not proven yet, or its proof is gone.',
    cure: 'Verify it with `POST /v1/domains/{domain_id}/verify`.',
  },
  expires_at_invalid: {
    status: 422,
    title: 'The expiry is too near or too far',
    cause: 'The time is in the past, too near or too far.',
    cure: 'Send a time that is at least some minutes and at most the limit away.',
  },
  hostname_invalid: {
    status: 422,
    title: 'The host name cannot carry links',
    cause: 'The name is not a public host name, or it belongs to the platform.',
    cure: 'Send a host name such as `go.example.com`, without scheme, port and path.',
  },
  pattern_invalid: {
    status: 422,
    title: 'The value is nothing that can be searched for',
    cause: 'The value has not the form of its kind.',
    cure: 'Send a host name for `domain`, an address for `url`, and so on.',
  },
  redirect_status_unsafe: {
    status: 422,
    title: 'A permanent redirect could not be taken back',
    cause: 'Browsers keep a permanent redirect for ever, and this link may change or end.',
    cure: 'Use 302 or 307.',
  },
} as const

export const problem = problemsOf(errors)
