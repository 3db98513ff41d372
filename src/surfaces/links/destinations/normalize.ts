/**
 * Decides where a link may lead: only to the public web, with one spelling for each URL. A refusal
 * contains the name of the broken rule. A URL gets only changes that every browser makes too.
 * screen.ts checks in the database whether the host serves our own links.
 */
import { isIP } from 'node:net'
import { isGlobalUnicast, limit } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'
import { hasPublicSuffix, reversedHost } from './host.ts'

export type Destination = {
  readonly url: string
  readonly hostname: string
  /**
   * A reversed host such as `com.example.www.`. A prefix of it finds the host with all its
   * sub-domains.
   */
  readonly reversed_host: string
}

export type DestinationRules = {
  readonly extra_suffixes: readonly string[]
  readonly ip_destinations: boolean
}

export function rulesOf({ settings }: Pick<Kernel, 'settings'>): DestinationRules {
  return {
    extra_suffixes: settings['links.extra_suffixes'],
    ip_destinations: settings['links.ip_destinations'],
  }
}

/** The names of the rules, as a refusal shows them. */
const rule_details = {
  malformed:
    'An absolute address is needed, such as https://example.com/page, without blanks, control characters or backslashes.',
  too_long: 'An address has at most 2,048 characters in its normalized form.',
  scheme: 'Only http and https are linked to.',
  userinfo: 'An address may not carry a user name or password.',
  host: 'The host must be a name of the public web, such as www.example.com.',
  private: 'The address is not one of the public internet.',
  ip_literal: 'The host must be a name; IP addresses are not linked to here.',
  port: 'The ports 80, 443, 8080 and 8443 are linked to.',
  loop: 'The link would lead back to a host of short links.',
  blocked: 'The destination is on the blocklist.',
} as const
export type Constraint = keyof typeof rule_details

const length_max = limit(
  'links.destination_characters',
  2048,
  'characters',
  'Longest destination of a link',
)
const ports = new Set(['', '80', '443', '8080', '8443'])
// The parser drops tabs and line ends anywhere, and blanks at both ends. So a URL with such hidden
// characters is refused.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const hidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\ufeff]|^\s|\s$/
/** Browsers treat a backslash as a slash, but many other programs treat it as a letter. */
const ambiguous = /^[^?#]*\\/

export function normalizeDestination(
  text: string,
  rules: DestinationRules,
  pointer?: string,
): Destination {
  const refuse = (constraint: Constraint) => notAllowed(constraint, pointer)
  if (hidden.test(text) || ambiguous.test(text)) throw refuse('malformed')
  const url = URL.parse(text)
  if (!url) throw refuse('malformed')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('scheme')
  if (url.username || url.password) throw refuse('userinfo')
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const { hostname, href } = url
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (isIP(literal)) {
    if (!isGlobalUnicast(literal)) throw refuse('private')
    if (!rules.ip_destinations) throw refuse('ip_literal')
  } else if (!hasPublicSuffix(hostname, rules.extra_suffixes)) throw refuse('host')
  if (!ports.has(url.port)) throw refuse('port')
  if (href.length > length_max) throw refuse('too_long')
  return { url: href, hostname, reversed_host: reversedHost(hostname) }
}

export function notAllowed(constraint: Constraint, pointer = '/destination_url') {
  return problem('destination_not_allowed', {
    detail: rule_details[constraint],
    errors: [{ location: 'body', pointer, constraint }],
  })
}
