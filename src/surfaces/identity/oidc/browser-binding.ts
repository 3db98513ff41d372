/**
 * Ties a login at a provider to the browser that began it. The browser keeps a secret in a cookie of that
 * login alone; nonce and PKCE verifier are derived from it and from the state, so no row holds them, and
 * whoever learns the state from an address can finish nothing.
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

/** What a row keeps of the secret. */
export function markOf(secret: string): string {
  return hashOf(secret).toString('base64url')
}

/** With an empty secret the browser forgets it. */
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
    // The provider leads back by a link, which Lax lets through; a form or script from elsewhere is not.
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

/** One cookie a login, so that two tabs do not spoil each other's. */
function cookieName(site: Site, state: string): string {
  return `${isSecure(site) ? '__Secure-' : ''}oidc_${hashOf(state).toString('hex').slice(0, 16)}`
}

function isSecure({ public_url }: Site): boolean {
  return public_url.startsWith('https:')
}
