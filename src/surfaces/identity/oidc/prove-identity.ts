/**
 * Verifies the callback from a provider and returns the identity that the provider signed. The
 * issuer of the response, the state, and the code with its PKCE verifier are checked first. Then
 * the signature, audience, nonce and times of the id_token are checked. Nothing is used before all
 * checks pass.
 */
import {
  authorizationCodeGrant,
  ClientError,
  fetchUserInfo,
  type Configuration,
  type IDToken,
  type UserInfoResponse,
} from 'openid-client'
import { parseEmail, type Address } from '../accounts/email.ts'
import { callbackPath, nonceOf, verifierOf } from './browser-binding.ts'
import type { RelyingParty } from './relying-party.ts'

export type Asserted = {
  readonly issuer: string
  readonly subject: string
  readonly address: Address | null
  /**
   * True if the provider says that the address is verified and the operator trusts this provider
   * for it.
   */
  readonly proven: boolean
  readonly display_name: string | null
  readonly locale: string | null
}

export type Returned = {
  readonly state: string
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/** OpenID Connect allows ASCII only. */
const subject_form = /^[\x20-\x7e]{1,255}$/
const display_name_max = 100

export async function proveIdentity(
  public_url: string,
  party: RelyingParty,
  secret: string,
  returned: Returned,
): Promise<Asserted> {
  const configuration = await party.configuration()
  const { state } = returned
  const tokens = await authorizationCodeGrant(
    configuration,
    returnedTo(public_url + callbackPath(party.provider.name), returned),
    {
      expectedState: state,
      expectedNonce: nonceOf(secret, state),
      pkceCodeVerifier: verifierOf(secret, state),
      idTokenExpected: true,
    },
  )
  const claims = tokens.claims()
  if (!claims || !subject_form.test(claims.sub)) throw new ClientError('no usable id_token')
  const person = await personOf(configuration, claims, tokens.access_token)
  return assertedBy(claims, person, party.provider.trust_email)
}

function returnedTo(address: string, returned: Returned): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(returned)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

/** Many providers return the address only from the userinfo endpoint. */
async function personOf(
  configuration: Configuration,
  claims: IDToken,
  access_token: string,
): Promise<IDToken | UserInfoResponse> {
  const elsewhere = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (claims['email'] !== undefined || !elsewhere) return claims
  return await fetchUserInfo(configuration, access_token, claims.sub)
}

function assertedBy(
  { iss, sub }: IDToken,
  { email, email_verified, name, locale }: IDToken | UserInfoResponse,
  trust_email: boolean,
): Asserted {
  const address = typeof email === 'string' ? parseEmail(email) : null
  // Some providers write the boolean as a string.
  const verified = email_verified === true || (email_verified as unknown) === 'true'
  const shown = typeof name === 'string' ? name.replaceAll(/\p{C}/gu, '').trim() : ''
  const tag = typeof locale === 'string' ? locale.replaceAll('_', '-') : ''
  return {
    issuer: iss,
    subject: sub,
    address,
    proven: address !== null && verified && trust_email,
    display_name: Array.from(shown).slice(0, display_name_max).join('').trim() || null,
    locale: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag) && tag.length <= 35 ? tag : null,
  }
}
