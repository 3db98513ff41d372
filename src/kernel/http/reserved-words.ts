/**
 * Words that nobody may take as the code of a link or the name of an organization: the first segments
 * of the platform's present paths, other common paths, and words that mails and pages of the
 * platform use. This is the only list of them. Case, `-` and `_` are ignored in the comparison, so
 * that no reserved word can be imitated.
 */
import type { Route } from './contract/route.ts'

export type ReservedWords = { has(word: string): boolean }

type Routes = { routes(): readonly Pick<Route, 'path'>[] }

const always = `api admin static assets login logout signup robots.txt favicon.ico sitemap.xml
  security.txt abuse report .well-known livez readyz healthz metrics docs openapi.json console
  account accounts settings billing checkout webhooks oauth callback invite verify status help
  support dev llms.txt v1 v2`.split(/\s+/)

/** The list is made at first use, because the routes are known only when all surfaces are open. */
export function openReservedWords(kernel: Routes, more: readonly string[]): ReservedWords {
  let words: ReadonlySet<string> | undefined
  const known = () => (words ??= new Set([...always, ...more, ...firstSegments(kernel)].map(plain)))
  return { has: word => known().has(plain(word)) }
}

function firstSegments({ routes }: Routes): string[] {
  const segments = routes().map(({ path }) => path.split('/')[1] ?? '')
  return segments.filter(segment => segment !== '' && !segment.startsWith('{'))
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}
