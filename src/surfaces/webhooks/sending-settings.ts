/** The settings that are written as small lists, read once at the start; a mistake stops it with a sentence. */
import type { Port } from '../../kernel/outgoing/addresses.ts'
import { StartError } from '../../kernel/errors/start-error.ts'
import type { Kernel } from './settings.ts'

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
/** What a sender needs after an answer to record it before its lease ends. */
export const finish_ms = 1000

export function readSending({ settings }: Pick<Kernel, 'settings'>): Sending {
  const timeouts = numbers('WEBHOOKS_TIMEOUTS', settings['webhooks.timeouts'], phases)
  const breaker = numbers('WEBHOOKS_BREAKER', settings['webhooks.breaker'], breaker_parts)
  const lease_ms = settings['webhooks.lease_seconds'] * 1000
  if (timeouts.total + finish_ms > lease_ms) {
    throw new StartError(
      'WEBHOOKS_LEASE_SECONDS must outlast WEBHOOKS_TIMEOUTS total by a second, or a webhook would be sent twice while the first is under way. Raise the lease or lower the total.',
    )
  }
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
  const told = new Map(
    given.split(',').map(entry => {
      const [part = '', value = ''] = entry.trim().split(':')
      return [part, /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN] as const
    }),
  )
  const fits = told.size === parts.length && parts.every(part => (told.get(part) ?? 0) > 0)
  if (!fits) {
    const form = parts.map(part => `${part}:<number>`).join(',')
    throw new StartError(`${name} is not understood. Write all of its parts: ${form}.`)
  }
  return Object.fromEntries(parts.map(part => [part, told.get(part)])) as Record<N, number>
}

function ports(given: string): Port[] {
  return given.split(',').map(entry => {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry.trim()) ?? []
    const range = [Number(from), Number(to)] as const
    if (range[0] < 1 || range[1] > 65_535 || range[0] > range[1]) {
      throw new StartError(
        `WEBHOOKS_ALLOWED_PORTS: "${entry}" is no port. Write ports and ranges, such as 443,8443,9000-9099.`,
      )
    }
    return range
  })
}
