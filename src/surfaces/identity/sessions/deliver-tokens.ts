/**
 * Delivers tokens to the caller: in the body, or in cookies that scripts cannot read, with a CSRF
 * token in the body. If the platform is served over plain http (on a developer's machine), cookies
 * cannot be `Secure`, so they have other names. The account pages keep the same tokens in cookies
 * with their own names (pages/visitor.ts), so that one login counts for both.
 */
import type { Headers } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { SessionTokens } from '../schemas.ts'

export type Delivery = 'token' | 'cookie'

export type Delivered = { readonly body: SessionTokens; readonly headers: Headers }

export type Site = Pick<Kernel, 'public_url' | 'csrf'>

export function deliver(site: Site, tokens: SessionTokens, delivery: Delivery): Delivered {
  if (delivery === 'token') return { body: tokens, headers: {} }
  const { access_token = '', refresh_token = '', ...rest } = tokens
  return {
    body: { ...rest, csrf_token: site.csrf.tokenOf(tokens.session_id) },
    headers: {
      'set-cookie': [
        cookie(site, 'at', access_token, '/v1', 'Lax', tokens.expires_in),
        cookie(site, 'rt', refresh_token, '/v1/sessions', 'Strict', tokens.refresh_expires_in),
        cookie(site, 'account-at', access_token, '/account', 'Lax', tokens.expires_in),
        cookie(site, 'account-rt', refresh_token, '/account', 'Lax', tokens.refresh_expires_in),
        loggedIn(site, '1', tokens.refresh_expires_in),
      ],
    },
  }
}

/** Replaces only the access token; the refresh cookies stay as they are. */
export function accessCookies(site: Site, token: string, max_age: number): Headers {
  return {
    'set-cookie': [
      cookie(site, 'at', token, '/v1', 'Lax', max_age),
      cookie(site, 'account-at', token, '/account', 'Lax', max_age),
    ],
  }
}

/** The cookies that a reply sets. */
export function setCookies(headers: Headers): readonly string[] {
  return [headers['set-cookie'] ?? []].flat()
}

/** Deletes the cookies of a session. */
export function forget(site: Site): Headers {
  return {
    'set-cookie': [
      cookie(site, 'at', '', '/v1', 'Lax', 0),
      cookie(site, 'rt', '', '/v1/sessions', 'Strict', 0),
      cookie(site, 'account-at', '', '/account', 'Lax', 0),
      cookie(site, 'account-rt', '', '/account', 'Lax', 0),
      loggedIn(site, '', 0),
    ],
  }
}

/** Tells the console's script that there may be a session, and nothing about it. */
function loggedIn(site: Site, value: string, max_age: number): string {
  const hidden = cookie(site, 'logged-in', value, '/console', 'Lax', max_age)
  return hidden.replace('; HttpOnly', '')
}

export function refreshCookie(header: string | string[] | undefined): string | null {
  for (const pair of String(header ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if ((name === '__Secure-rt' || name === 'rt') && value) return value
  }
  return null
}

export function hasCookies(header: string | string[] | undefined): boolean {
  return /(^|;\s*)(__Secure-)?(at|rt)=/.test(String(header ?? ''))
}

export function cookie(
  { public_url }: Pick<Site, 'public_url'>,
  name: string,
  value: string,
  path: string,
  same_site: string,
  max_age: number,
): string {
  const secure = public_url.startsWith('https:')
  return [
    `${secure ? '__Secure-' : ''}${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${max_age}`,
    'HttpOnly',
    `SameSite=${same_site}`,
    ...(secure ? ['Secure'] : []),
  ].join('; ')
}
