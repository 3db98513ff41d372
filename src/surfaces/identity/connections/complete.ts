/**
 * What is needed for logins at a provider: what a connection says, and for the rest its preset. A
 * connection that cannot work is refused with what is missing.
 */
import type { Deployment } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { openCalls, providerUrl } from '../oidc/addresses.ts'
import { isAppleKey } from '../oidc/apple-secret.ts'
import { openOAuth2Party, type OAuth2Provider } from '../oidc/oauth2-party.ts'
import { openOidcParty } from '../oidc/oidc-party.ts'
import type { Party } from '../oidc/party.ts'
import { isIssuer, scopeOf, type Provider } from '../oidc/providers.ts'
import { issuerOf, type Connection, type OpenedConnection } from './connection.ts'
import { presets, type Endpoints, type FieldNames, type Preset } from './presets.ts'

type Profile = Deployment['profile']
export type Wanted = Pick<
  Connection,
  | 'id'
  | 'kind'
  | 'preset'
  | 'issuer'
  | 'client_id'
  | 'apple'
  | 'endpoints'
  | 'fields'
  | 'scopes'
  | 'trust_email'
> & { readonly secret: string | null }

type Complete =
  | { readonly kind: 'oidc'; readonly provider: Provider; readonly urls: readonly URL[] }
  | { readonly kind: 'oauth2'; readonly provider: OAuth2Provider; readonly urls: readonly URL[] }

export function invalid(detail: string, cause?: unknown) {
  return problem('connection_invalid', { detail }, { cause })
}

export function complete(wanted: Wanted, profile: Profile): Complete {
  const preset = wanted.preset === null ? undefined : presets[wanted.preset]
  return wanted.kind === 'oidc'
    ? completeOidc(wanted, preset, profile)
    : completeOAuth2(wanted, preset, profile)
}

export function openParty(
  whole: Complete,
  profile: Profile,
  connection: OpenedConnection | null = null,
): Party {
  const safeFetch = openCalls(whole.urls, profile)
  return whole.kind === 'oidc'
    ? openOidcParty(whole.provider, safeFetch, connection)
    : openOAuth2Party(whole.provider, safeFetch, connection)
}

/** Throws unless the provider answers and fits. */
export async function checkProvider(whole: Complete, profile: Profile): Promise<void> {
  const safeFetch = openCalls(whole.urls, profile)
  try {
    if (whole.kind === 'oidc') {
      await openOidcParty(whole.provider, safeFetch).ready()
      return
    }
    const { token, userinfo, emails } = whole.provider.endpoints
    await Promise.all([token, userinfo, ...(emails ? [emails] : [])].map(safeFetch.inspect))
  } catch (error) {
    throw invalid(
      whole.kind === 'oidc'
        ? `The provider did not answer at ${whole.provider.issuer.href}, or its OpenID configuration does not fit this issuer. Check \`issuer\`.`
        : 'An address of the provider cannot be called. Check `endpoints`.',
      error,
    )
  }
}

function completeOidc(wanted: Wanted, preset: Preset | undefined, profile: Profile): Complete {
  const { id, client_id, secret, apple, endpoints, fields, trust_email } = wanted
  const known = preset?.kind === 'oidc' ? preset : undefined
  if (endpoints !== null || fields !== null) {
    throw invalid(
      '`endpoints` and `fields` are for `oauth2`. OpenID providers say them themselves.',
    )
  }
  const address = wanted.issuer ?? known?.issuer
  if (address === undefined) throw invalid('Give the `issuer` of the OpenID provider.')
  const issuer = isIssuer(address) ? providerUrl(address, profile) : null
  if (!issuer) throw invalid(`${address} is not an https URL such as https://login.example.com.`)
  const scopes = wanted.scopes ?? known?.scopes ?? presets.google.scopes
  const provider = {
    name: id,
    issuer,
    identity_issuer: issuerOf(id),
    client_id,
    client_secret: known?.apple ? null : secret,
    client_auth: null,
    scope: scopeOf(scopes),
    trust_email,
    allow: [],
  }
  if (!known?.apple) return { kind: 'oidc', provider, urls: [issuer] }
  if (apple === null || secret === null || !isAppleKey(secret)) {
    throw invalid(
      'Give `apple` with `team_id`, `key_id` and `private_key`, the text of the .p8 file of the key.',
    )
  }
  const signing = { ...apple, private_key: secret }
  return { kind: 'oidc', provider: { ...provider, apple: signing }, urls: [issuer] }
}

function completeOAuth2(wanted: Wanted, preset: Preset | undefined, profile: Profile): Complete {
  const { id, client_id, secret, trust_email } = wanted
  const known = preset?.kind === 'oauth2' ? preset : undefined
  if (secret === null) throw invalid('Give the `client_secret` that the provider shows.')
  const { authorization, token, userinfo, emails } = { ...known?.endpoints, ...wanted.endpoints }
  if (!authorization || !token || !userinfo) {
    throw invalid('Give `endpoints` with `authorization`, `token` and `userinfo`.')
  }
  const endpoints: Endpoints = { authorization, token, userinfo, ...(emails ? { emails } : {}) }
  const urls = Object.values(endpoints).map(address => {
    const url = providerUrl(address, profile)
    if (!url) throw invalid(`${address} is not an https URL.`)
    return url
  })
  const { subject, ...others } = { ...known?.fields, ...wanted.fields }
  if (!subject) throw invalid('Give `fields` with `subject`, the member of userinfo with its id.')
  const fields: FieldNames = { subject, ...others }
  const provider = {
    name: id,
    issuer: issuerOf(id),
    client_id,
    client_secret: secret,
    endpoints,
    fields,
    scopes: wanted.scopes ?? known?.scopes ?? [],
    pkce: known?.pkce ?? true,
    trust_email,
    // Anybody may have an account there, with any address.
    unsaid: known ? (false as const) : null,
    iss: wanted.issuer,
  }
  return { kind: 'oauth2', provider, urls }
}
