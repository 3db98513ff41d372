/**
 * A provider as a login sees it: where it leads the browser, and what it says about the person who
 * comes back. Providers of the settings, connections and the sandbox are the same to a login.
 */
import { parseEmail, type Address } from '../accounts/email.ts'
import type { OpenedConnection } from '../connections/connection.ts'

/** One login at the provider. */
export type Way = {
  readonly redirect_uri: string
  /** The secret of the browser, from which the nonce and the PKCE verifier are derived. */
  readonly secret: string
  readonly state: string
}

/** What the browser brings back. */
export type Returned = {
  readonly state: string
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly error_description?: string | undefined
  /** Apple sends the name once, unsigned, beside the first code. */
  readonly name?: string | undefined
}

export type Party = {
  /** In the path of the callback. */
  readonly name: string
  /** Null for a provider of the settings or of the sandbox. */
  readonly connection: OpenedConnection | null
  /** Throws if the provider does not answer or does not fit. */
  ready(): Promise<void>
  leadTo(way: Way): Promise<string>
  /** Throws unless the provider vouches for this person, for this login alone. */
  prove(way: Way, returned: Returned): Promise<Asserted>
}

type Claims = Readonly<Record<string, unknown>>

export type Asserted = {
  readonly issuer: string
  readonly subject: string
  readonly address: Address | null
  /** What the provider says about the address. Null if it says nothing. */
  readonly verified: boolean | null
  /**
   * True if the provider says that the address is verified and the operator trusts this provider
   * for it.
   */
  readonly proven: boolean
  readonly display_name: string | null
  readonly locale: string | null
  readonly claims: Claims
}

type Said = {
  readonly issuer: string
  readonly subject: string
  readonly email: unknown
  readonly verified: boolean | null
  readonly name: unknown
  readonly locale?: unknown
  readonly claims: Claims
}

const display_name_max = 100

export function assertedBy(
  { issuer, subject, email, verified, name, locale, claims }: Said,
  trust_email: boolean,
): Asserted {
  const address = typeof email === 'string' ? parseEmail(email) : null
  const shown = typeof name === 'string' ? name.replaceAll(/\p{C}/gu, '').trim() : ''
  const tag = typeof locale === 'string' ? locale.replaceAll('_', '-') : ''
  return {
    issuer,
    subject,
    address,
    verified,
    proven: address !== null && verified === true && trust_email,
    display_name: Array.from(shown).slice(0, display_name_max).join('').trim() || null,
    locale: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag) && tag.length <= 35 ? tag : null,
    claims,
  }
}

/** Some providers write the boolean as a string. What is neither of both proves nothing. */
export function verifiedBy(value: unknown): boolean | null {
  if (value === undefined || value === null) return null
  return value === true || value === 'true'
}
