/**
 * The coarse form of a click, and all that is ever kept of it: country, device, system, browser, the site
 * it came from, language, source, and whether a bot or a prefetch made it. No address, no user agent, no
 * full referrer gets through, and who asks not to be tracked leaves nothing but that a click was made.
 */
import { LRUCache } from 'lru-cache'
import { getDomain } from 'tldts'
import type { Agents } from './agents.ts'
import { countryIn, countryOf } from './countries.ts'
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
  /** As JSON: clicks alike have one text. */
  of(visitor: Visitor): string
  /** Forgets the visitors themselves; what they are made of was never kept. */
  forget(): void
}

const quiet = '{"bot":false}'
const quiet_bot = '{"bot":true}'

export function openContexts(agents: Agents): Contexts {
  const sites = new LRUCache<string, string>({ max: 10_000 })
  const siteOf = (referrer: string): string => {
    if (referrer === '' || referrer.length > 2048) return ''
    const known = sites.get(referrer)
    if (known !== undefined) return known
    const site = getDomain(referrer) ?? ''
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
      // Many visitors of one moment are alike, and putting a context together costs more than comparing.
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

/** The primary tag of the language that is liked best, as far as the order of the list tells. */
export function languageOf(header: string): string {
  const tag = /^\s*([A-Za-z]{2,3})(?![A-Za-z])/.exec(header)?.[1]
  return tag ? tag.toLowerCase() : ''
}

/** What the short address itself said of where it was found: the codes of this platform carry `s=qr`. */
export function sourceOf(query: string): string {
  return /(?:^|&)s=([a-z0-9_-]{1,32})(?:&|$)/.exec(query)?.[1] ?? ''
}
