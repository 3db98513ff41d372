/**
 * Whether an address may be kept as an endpoint: by its form alone, without asking a name server. What it
 * leads to is judged on every attempt and every redirect.
 */
import { openAddressRules, isGlobalUnicast } from '../../kernel/outside/addresses.ts'
import { parseTarget, type TargetRefusal } from '../../kernel/outside/safe-target.ts'
import type { Kernel } from '../../kernel/surface.ts'
import { problem } from './errors.ts'
import type { Sending } from './settings.ts'

export type JudgeEndpoint = (endpoint: string) => void

type Constraint = 'syntax' | 'scheme' | 'port' | 'literal' | 'userinfo' | 'fragment' | 'host'

const constraints: Readonly<Record<TargetRefusal, Constraint>> = {
  invalid_url: 'syntax',
  blocked_scheme: 'scheme',
  blocked_credentials: 'userinfo',
  blocked_port: 'port',
  blocked_host: 'host',
}

const details: Readonly<Record<Constraint, string>> = {
  syntax: 'This is no address.',
  scheme: 'The address must begin with https; WEBHOOKS_ALLOW_HTTP=true allows http too.',
  port: 'The port is not open; WEBHOOKS_ALLOWED_PORTS names those that are.',
  literal: 'A name is asked for, not an address; WEBHOOKS_ALLOWED_PRIVATE_CIDRS allows addresses.',
  userinfo: 'The address must not hold a user or password.',
  fragment: 'The address must not hold a fragment.',
  host: 'This name means something inside a network only; WEBHOOKS_ALLOWED_PRIVATE_CIDRS allows nets.',
}

const inner_hosts = ['localhost', 'metadata', 'instance-data']

export function openJudgeEndpoint(
  { settings }: Pick<Kernel, 'settings'>,
  { ports, schemes }: Pick<Sending, 'ports' | 'schemes'>,
): JudgeEndpoint {
  const allow = settings['webhooks.allowed_private_cidrs']
  const rules = openAddressRules({ ports, allow })
  const judge = (endpoint: string): Constraint | null => {
    const target = parseTarget(endpoint, null, rules, schemes)
    if (typeof target === 'string') return constraints[target]
    if (endpoint.includes('#')) return 'fragment'
    const { host, port, is_literal } = target
    if (is_literal) {
      if (isGlobalUnicast(host)) return 'literal'
      const verdict = rules.judge(host, port)
      if (verdict === 'ok') return null
      return verdict === 'blocked_port' ? 'port' : 'literal'
    }
    const inner = inner_hosts.includes(host) || host.endsWith('.localhost')
    return inner && allow.length === 0 ? 'host' : null
  }
  return endpoint => {
    const constraint = judge(endpoint)
    if (!constraint) return
    throw problem('endpoint_not_allowed', {
      detail: details[constraint],
      errors: [{ location: 'body', pointer: '/endpoint', constraint }],
    })
  }
}
