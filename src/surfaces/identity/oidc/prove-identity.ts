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
} from 'openid-client'
import { nonceOf, verifierOf } from './browser-binding.ts'
import { assertedBy, verifiedBy, type Asserted, type Returned, type Way } from './party.ts'
import type { Provider } from './providers.ts'

type Back = {
  readonly way: Way
  readonly returned: Returned
  /** Claims for which userinfo is asked, if the id_token has them not. */
  readonly also: readonly string[]
}

/** OpenID Connect allows ASCII only. */
const subject_form = /^[\x20-\x7e]{1,255}$/

export async function proveIdentity(
  configuration: Configuration,
  { trust_email, identity_issuer }: Provider,
  { way, returned, also }: Back,
): Promise<Asserted> {
  const { state, secret, redirect_uri } = way
  const tokens = await authorizationCodeGrant(configuration, returnedTo(redirect_uri, returned), {
    expectedState: state,
    expectedNonce: nonceOf(secret, state),
    pkceCodeVerifier: verifierOf(secret, state),
    idTokenExpected: true,
  })
  const signed = tokens.claims()
  if (!signed || !subject_form.test(signed.sub)) throw new ClientError('no usable id_token')
  const claims = await claimsOf(configuration, signed, tokens.access_token, ['email', ...also])
  return assertedBy(
    {
      issuer: identity_issuer ?? signed.iss,
      subject: signed.sub,
      email: claims['email'],
      verified: verifiedBy(claims['email_verified']),
      name: claims['name'] ?? returned.name,
      locale: claims['locale'],
      claims,
    },
    trust_email,
  )
}

function returnedTo(address: string, { name: _name, ...returned }: Returned): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(returned)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

/** Many providers return the address only from the userinfo endpoint. */
async function claimsOf(
  configuration: Configuration,
  signed: IDToken,
  access_token: string,
  needed: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const elsewhere = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (!elsewhere || needed.every(name => signed[name] !== undefined)) return signed
  const person = await fetchUserInfo(configuration, access_token, signed.sub)
  // An address and what is said about it come from one place.
  const { email: _email, email_verified: _verified, ...rest } = signed
  return signed['email'] === undefined ? { ...person, ...rest } : { ...person, ...signed }
}
