/**
 * Chooses the language of a page: the visitor's choice, otherwise the language that the browser
 * prefers.
 */
import Negotiator from 'negotiator'
import type { Site } from '../sessions/deliver-tokens.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { readCookie, setCookie } from './cookies.ts'
import { de } from './words-de.ts'
import { en, type Words } from './words-en.ts'

export const languages = { en, de } as const satisfies Record<string, Words>
export type Language = keyof typeof languages

const cookie_name = 'account-language'
const year_seconds = 365 * 86_400

export function languageOf(site: Site, { headers }: Seen, asked: string | undefined): Language {
  const chosen = asked ?? readCookie(site, headers, cookie_name) ?? ''
  if (isKnown(chosen)) return chosen
  const accept = String(headers['accept-language'] ?? '')
  const preferred = new Negotiator({ headers: { 'accept-language': accept || '*' } }).language([
    'en',
    'de',
  ])
  return preferred === 'de' ? 'de' : 'en'
}

/** Stores the language that the visitor chose. */
export function languageCookie(site: Site, asked: string | undefined): readonly string[] {
  if (asked === undefined || !isKnown(asked)) return []
  const cookie = { name: cookie_name, value: asked, path: '/account', max_age: year_seconds }
  return [setCookie(site, cookie, 'Lax')]
}

function isKnown(name: string): name is Language {
  return Object.hasOwn(languages, name)
}
