/** The bodies of the OAuth routes, by their standards. */
import { Type, type Static } from 'typebox'
import { closed, Id, oneOf, text } from '#dodeca/kernel'

const client = {
  client_id: Type.Optional(text(300)),
  client_secret: Type.Optional(text(200)),
}

export const TokenRequest = closed(
  {
    grant_type: text(60),
    code: Type.Optional(text(200)),
    redirect_uri: Type.Optional(text(1000)),
    code_verifier: Type.Optional(text(128)),
    refresh_token: Type.Optional(text(200)),
    scope: Type.Optional(text(1000)),
    resource: Type.Optional(text(300)),
    ...client,
  },
  { title: 'TokenRequest' },
)

export const TokenHint = closed(
  { token: text(4000), token_type_hint: Type.Optional(text(60)), ...client },
  { title: 'TokenHint' },
)

export const Tokens = Type.Object(
  {
    access_token: Type.String({ maxLength: 3000 }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    /** With `offline_access`. It works once; the reply to it has the next one. */
    refresh_token: Type.Optional(Type.String({ maxLength: 120 })),
    /** With `openid`, for a code. */
    id_token: Type.Optional(Type.String({ maxLength: 3000 })),
    scope: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { title: 'OAuthTokens' },
)
export type Tokens = Static<typeof Tokens>

/** Of a token that is not active, only `active` is said. */
export const Introspected = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Id),
    token_type: Type.Optional(oneOf('Bearer', 'refresh_token')),
    exp: Type.Optional(Type.Integer()),
    iss: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String()),
    tid: Type.Optional(Id),
    sid: Type.Optional(Id),
  },
  { title: 'IntrospectedToken' },
)
export type Introspected = Static<typeof Introspected>

export const UserInfo = Type.Object(
  {
    sub: Id,
    name: Type.Optional(Type.String()),
    locale: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
  },
  // What the tenant declares in its `claims`.
  { title: 'UserInfo', additionalProperties: true },
)
export type UserInfo = Static<typeof UserInfo> & Readonly<Record<string, unknown>>

const Names = Type.Array(Type.String(), { maxItems: 1000 })

/** RFC 8414, and OpenID Connect Discovery 1.0. */
export const ServerMetadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    jwks_uri: Type.String(),
    response_types_supported: Names,
    response_modes_supported: Names,
    grant_types_supported: Names,
    code_challenge_methods_supported: Names,
    token_endpoint_auth_methods_supported: Names,
    revocation_endpoint_auth_methods_supported: Names,
    introspection_endpoint_auth_methods_supported: Names,
    subject_types_supported: Names,
    id_token_signing_alg_values_supported: Names,
    scopes_supported: Names,
    claims_supported: Names,
    acr_values_supported: Names,
    prompt_values_supported: Names,
    ui_locales_supported: Names,
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
    request_parameter_supported: Type.Boolean(),
    request_uri_parameter_supported: Type.Boolean(),
  },
  { title: 'AuthorizationServerMetadata' },
)
export type ServerMetadata = Static<typeof ServerMetadata>
