/**
 * Codes that nobody may take on any domain: what a path of the platform begins with, now or by custom, and
 * what its mails and pages lead to. This is the one list of them.
 * They are compared without case, `-` and `_`, so that none can be imitated.
 */
import type { Kernel } from '../settings.ts'

export type ReservedWords = { has(code: string): boolean }

const always = `api admin static assets login logout signup robots.txt favicon.ico sitemap.xml
  security.txt abuse report .well-known livez readyz healthz metrics docs openapi.json console
  account accounts settings billing checkout webhooks oauth callback invite verify status help
  support dev v1 v2`.split(/\s+/)

/** The routes are known when all surfaces are open, so they are asked for at the first look. */
export function openReservedWords(kernel: Pick<Kernel, 'routes' | 'settings'>): ReservedWords {
  let words: ReadonlySet<string> | undefined
  const known = () =>
    (words ??= new Set(
      [...always, ...kernel.settings['links.reserved'], ...firstSegments(kernel)].map(plain),
    ))
  return { has: code => known().has(plain(code)) }
}

function firstSegments({ routes }: Pick<Kernel, 'routes'>): string[] {
  const segments = routes().map(({ path }) => path.split('/')[1] ?? '')
  return segments.filter(segment => segment !== '' && !segment.startsWith('{'))
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}
