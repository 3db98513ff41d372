/**
 * Finds hosts that imitate other hosts: a label that mixes alphabets, or a label that looks like a
 * well-known name. Such a destination is suspicious, but it is never refused, because an honest
 * name can look like another name too.
 */
import { domainToUnicode } from 'node:url'
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

export type LookAlikes = { isPretending(hostname: string): Promise<boolean> }

export function openLookAlikes(protected_hosts: readonly string[]): LookAlikes {
  const names = new Set([...protected_names, ...protected_hosts.map(registeredLabel)])
  let skeletons: ReturnType<typeof skeletonsOf> | undefined
  return {
    isPretending: async hostname => {
      const readable = domainToUnicode(hostname) || hostname
      if (readable.split('.').some(mixesScripts)) return true
      const name = registeredLabel(readable)
      if (name === '' || names.has(name)) return false
      const { skeleton, upright, plain, standing } = await (skeletons ??= skeletonsOf(names))
      return /^[a-z0-9-]+$/.test(name) ? plain.has(skeleton(name)) : standing.has(upright(name))
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

/** The table of 6,000 characters is loaded by the first link that needs it. */
async function skeletonsOf(names: ReadonlySet<string>) {
  const { rectifyConfusion } = await import('unicode-confusables')
  const skeleton = (name: string) =>
    rectifyConfusion(name.normalize('NFKC').toLowerCase()).toLowerCase()
  // Unicode has many upright strokes, such as the Cyrillic palochka, which looks like an l.
  const upright = (name: string) => skeleton(name).replaceAll(/[il1|]/g, 'l')
  const all = [...names]
  return {
    skeleton,
    upright,
    plain: new Set(all.map(skeleton)),
    standing: new Set(all.map(upright)),
  }
}
