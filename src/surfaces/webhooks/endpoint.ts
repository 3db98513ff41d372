/**
 * Decides whether a URL may be stored as an endpoint. The decision uses only the form of the URL
 * and no DNS look-up. Every attempt and every redirect checks the target's address again. The
 * normalized URL is stored, and requests are sent to it. So the shown URL is the real one.
 */
import { isGlobalUnicast, openAddressRules, parseTarget } from '#dodeca/kernel'
import type { SafeTarget, TargetRefusal } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'
import { problem } from './errors.ts'
import type { Sending } from './sending-settings.ts'

/** Returns the URL as it is stored. */
export type JudgeEndpoint = (endpoint: string) => string

type Constraint =
  'syntax' | 'length' | 'scheme' | 'port' | 'literal' | 'userinfo' | 'fragment' | 'host'

/** The maximum length in the database. */
const endpoint_length_max = 2048

const constraints: Readonly<Record<TargetRefusal, Constraint>> = {
  invalid_url: 'syntax',
  blocked_scheme: 'scheme',
  blocked_credentials: 'userinfo',
  blocked_port: 'port',
  blocked_host: 'host',
}

const details: Readonly<Record<Constraint, string>> = {
  syntax: 'This is not a URL.',
  length: `In ASCII the address is longer than ${endpoint_length_max} characters.`,
  scheme: 'The address must begin with https; WEBHOOKS_ALLOW_HTTP=true allows http too.',
  port: 'The port is not open; WEBHOOKS_ALLOWED_PORTS names those that are.',
  literal:
    'A host name is required, not an IP address; WEBHOOKS_ALLOWED_PRIVATE_CIDRS allows private ones.',
  userinfo: 'The address must not hold a user or password.',
  fragment: 'The address must not hold a fragment.',
  host: 'This name means something inside a network only; WEBHOOKS_ALLOWED_PRIVATE_CIDRS lists names that are allowed.',
}

const inner_hosts = ['localhost', 'metadata', 'instance-data']

export function openJudgeEndpoint(
  { settings }: Pick<Kernel, 'settings'>,
  { ports, schemes }: Pick<Sending, 'ports' | 'schemes'>,
): JudgeEndpoint {
  const allow = settings['webhooks.allowed_private_cidrs']
  const rules = openAddressRules({ ports, allow })
  const constraintOf = ({ url, host, port, is_literal }: SafeTarget): Constraint | null => {
    if (url.href.includes('#')) return 'fragment'
    if (url.href.length > endpoint_length_max) return 'length'
    if (is_literal) {
      if (isGlobalUnicast(host)) return 'literal'
      const verdict = rules.check(host, port)
      if (verdict === 'ok') return null
      return verdict === 'blocked_port' ? 'port' : 'literal'
    }
    const inner = inner_hosts.includes(host) || host.endsWith('.localhost')
    return inner && !rules.opensName(host) ? 'host' : null
  }
  return endpoint => {
    const target = parseTarget(endpoint, null, rules, schemes)
    if (typeof target === 'string') throw refusal(constraints[target])
    const constraint = constraintOf(target)
    if (constraint) throw refusal(constraint)
    return writtenOut(target)
  }
}

function refusal(constraint: Constraint) {
  return problem('endpoint_not_allowed', {
    detail: details[constraint],
    errors: [{ location: 'body', pointer: '/endpoint', constraint }],
  })
}

/**
 * The name in ASCII, without its trailing dot and without characters that the parser would drop.
 */
function writtenOut({ url, host, is_literal }: SafeTarget): string {
  const written = new URL(url.href)
  if (!is_literal) written.hostname = host
  return written.href
}
