/**
 * Cookies of the account pages. All are HttpOnly. Over https they are `Secure` and have other
 * names, and only the cookies with these names are read.
 */
import { cookie, type Site } from '../sessions/deliver-tokens.ts'
import type { Seen } from '../security-events/record-security-event.ts'

export type PageCookie = {
  readonly name: string
  readonly value: string
  readonly path: string
  /** In seconds; 0 deletes it. */
  readonly max_age: number
}

export function setCookie(
  site: Site,
  { name, value, path, max_age }: PageCookie,
  same_site: 'Lax' | 'Strict' = 'Strict',
): string {
  return cookie(site, name, value, path, same_site, max_age)
}

export function readCookie(
  { public_url }: Site,
  headers: Seen['headers'],
  wanted: string,
): string | null {
  const full = public_url.startsWith('https:') ? `__Secure-${wanted}` : wanted
  for (const pair of String(headers['cookie'] ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === full && value) return value
  }
  return null
}
