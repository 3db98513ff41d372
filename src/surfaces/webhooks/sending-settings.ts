/**
 * Settings that are written as small lists. They are read once at the start. If a list has a
 * mistake, the platform does not start and prints a sentence about the mistake.
 */
import { StartError, type Port } from '#dodeca/kernel'

export type Timeouts = Readonly<Record<(typeof phases)[number], number>>
export type BreakerSettings = {
  readonly failures: number
  readonly open_ms: number
  readonly max_open_ms: number
}

export type Sending = {
  readonly timeouts: Timeouts
  readonly breaker: BreakerSettings
  readonly ports: readonly Port[]
  readonly schemes: readonly ('https:' | 'http:')[]
}

const phases = ['dns', 'connect', 'tls', 'write', 'first_byte', 'body', 'total'] as const
const breaker_parts = ['failures', 'open_ms', 'max_open_ms'] as const
/**
 * The time between a response and the end of the lease. The sender must record the result in this
 * time.
 */
export const finish_ms = 1000
/** The time before a request: the sender commits the claim and reads the bodies and the grants. */
export const begin_ms = 1000

type Given = {
  readonly 'webhooks.timeouts': string
  readonly 'webhooks.breaker': string
  readonly 'webhooks.allowed_ports': string
  readonly 'webhooks.allow_http': boolean
}

export function readSending({ settings }: { readonly settings: Given }): Sending {
  const timeouts = numbers('WEBHOOKS_TIMEOUTS', settings['webhooks.timeouts'], phases)
  const breaker = numbers('WEBHOOKS_BREAKER', settings['webhooks.breaker'], breaker_parts)
  const http = settings['webhooks.allow_http']
  return {
    timeouts,
    breaker,
    ports: [...ports(settings['webhooks.allowed_ports']), ...(http ? [80] : [])],
    schemes: http ? ['https:', 'http:'] : ['https:'],
  }
}

function numbers<const N extends string>(
  name: string,
  given: string,
  parts: readonly N[],
): Record<N, number> {
  const stated = new Map(
    given.split(',').map(entry => {
      const [part = '', value = ''] = entry.trim().split(':')
      return [part, /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN] as const
    }),
  )
  const fits = stated.size === parts.length && parts.every(part => (stated.get(part) ?? 0) > 0)
  if (!fits) {
    const form = parts.map(part => `${part}:<number>`).join(',')
    throw new StartError(`${name} is not understood. Write all of its parts: ${form}.`)
  }
  return Object.fromEntries(parts.map(part => [part, stated.get(part)])) as Record<N, number>
}

function ports(given: string): Port[] {
  return given.split(',').map(entry => {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry.trim()) ?? []
    const range = [Number(from), Number(to)] as const
    if (range[0] < 1 || range[1] > 65_535 || range[0] > range[1]) {
      throw new StartError(
        `WEBHOOKS_ALLOWED_PORTS: "${entry}" is not a port. Write ports and ranges, such as 443,8443,9000-9099.`,
      )
    }
    return range
  })
}
