/**
 * Binds a login at a provider to the browser that began it. The browser keeps a secret in a cookie
 * for this login only. The nonce and the PKCE verifier are derived from the secret and the state,
 * so that no row contains them. A person who learns the state from a URL cannot finish the login.
 */
import { createHmac } from 'node:crypto'
import type { Kernel } from '../settings.ts'
import { hashOf } from '../one-time.ts'

type Site = Pick<Kernel, 'public_url'>

export function nonceOf(secret: string, state: string): string {
  return derive(secret, 'nonce', state)
}

export function verifierOf(secret: string, state: string): string {
  return derive(secret, 'verifier', state)
}

/** The hash of the secret that a row stores. */
export function markOf(secret: string): string {
  return hashOf(secret).toString('base64url')
}

/** With an empty secret the cookie is deleted in the browser. */
export function bindingCookie(
  site: Site,
  provider: string,
  state: string,
  secret: string,
  max_age: number,
): string {
  return [
    `${cookieName(site, state)}=${secret}`,
    `Path=${callbackPath(provider)}`,
    `Max-Age=${max_age}`,
    'HttpOnly',
    // The provider redirects back by a link. `Lax` sends the cookie with links, but not with a form
    // or script of another site.
    'SameSite=Lax',
    ...(isSecure(site) ? ['Secure'] : []),
  ].join('; ')
}

export function secretIn(
  site: Site,
  state: string,
  header: string | string[] | undefined,
): string | null {
  const wanted = cookieName(site, state)
  for (const pair of String(header ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === wanted && value) return value
  }
  return null
}

export function callbackPath(provider: string): string {
  return `/v1/oidc/${provider}/callback`
}

function derive(secret: string, purpose: string, state: string): string {
  return createHmac('sha256', secret).update(`${purpose}\n${state}`).digest('base64url')
}

/** Each login has its own cookie, so that logins in two tabs do not interfere. */
function cookieName(site: Site, state: string): string {
  return `${isSecure(site) ? '__Secure-' : ''}oidc_${hashOf(state).toString('hex').slice(0, 16)}`
}

function isSecure({ public_url }: Site): boolean {
  return public_url.startsWith('https:')
}
