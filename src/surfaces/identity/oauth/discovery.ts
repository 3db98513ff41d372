/** What applications read about this server before they use it. */
import type { Deps } from '../deps.ts'
import { askableScopes } from '../clients/client.ts'
import { issuerOf } from '../keys/access-tokens.ts'
import { grant_types } from './give-tokens.ts'
import type { ServerMetadata } from './schemas.ts'

const claims =
  'iss sub aud exp iat auth_time nonce acr amr at_hash tid name locale email email_verified'.split(
    ' ',
  )
const with_secret = ['client_secret_basic', 'client_secret_post']

export function serverMetadata({
  kernel,
  permissions,
}: Pick<Deps, 'kernel' | 'permissions'>): ServerMetadata {
  const base = kernel.public_url
  return {
    issuer: issuerOf(kernel),
    authorization_endpoint: `${base}/account/authorize`,
    token_endpoint: `${base}/v1/oauth/token`,
    revocation_endpoint: `${base}/v1/oauth/revoke`,
    introspection_endpoint: `${base}/v1/oauth/introspect`,
    userinfo_endpoint: `${base}/v1/oauth/userinfo`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grant_types,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [...with_secret, 'none'],
    revocation_endpoint_auth_methods_supported: [...with_secret, 'none'],
    introspection_endpoint_auth_methods_supported: with_secret,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    // Single permissions may be asked for, too. They are listed where permissions are.
    scopes_supported: askableScopes(permissions).filter(word => word.split('.').length < 3),
    claims_supported: claims,
    acr_values_supported: ['aal1', 'aal2'],
    prompt_values_supported: ['none', 'login', 'consent'],
    ui_locales_supported: ['en', 'de'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: kernel.settings['identity.client_documents'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}
