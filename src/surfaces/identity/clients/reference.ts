/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const clientsReference: Reference['members'] = {
  ...ofNoun('IntrospectedToken', {
    client_id: 'The application to which the token was given.',
    scope: 'What the token allows, as words with spaces between them.',
  }),
  ...ofNoun('TokenHint', {
    client_id: 'The id of the client that asks.',
  }),
  ...ofNoun('TokenRequest', {
    client_id: 'The id of the client that asks.',
    scope: 'Fewer scopes than before, with spaces between them. Without it, the same.',
  }),
  ...ofNoun('OAuthTokens', {
    scope: 'What the tokens allow, as words with spaces between them.',
  }),
  ...ofNoun('Client CreateClient ChangeClient', {
    name: 'The name of the application, as people see it when they are asked.',
    type: '`web` has a server and a secret; `spa` and `native` have none; `api` only checks tokens.',
    redirect_uris: 'The only addresses to which a log-in returns.',
    scopes: 'What the application may ask for. An `api` declares its own, with what they mean.',
    'scopes.name': 'The name of the scope.',
    'scopes.says': 'What people read when they are asked for it.',
    uri: 'The web site of the application.',
    first_party: 'Whether people are not asked, because the application is yours.',
  }),
  ...ofNoun('NewClientSecret', {
    client_secret: 'The new secret. It is shown only here.',
    previous_expires_at: 'When the one before it ends; null if there was none.',
  }),
  ...ofNoun('CreateClientSecretBody', {
    overlap_seconds: 'How long the secret before it still works.',
  }),
  ...ofNoun('Jwks', {
    keys: 'The public keys that verify tokens.',
    'keys.kty': 'The kind of key.',
    'keys.crv': 'The curve.',
    'keys.x': 'The first coordinate of the point.',
    'keys.y': 'The second coordinate of the point.',
    'keys.kid': 'The id of the key, which tokens name in their header.',
    'keys.alg': 'The algorithm of the signatures.',
    'keys.use': 'The keys are for signatures.',
  }),
  ...ofNoun('AuthorizationServerMetadata', {
    issuer: 'The `iss` of all tokens.',
    authorization_endpoint: 'Where a browser begins a log-in.',
    token_endpoint: 'Where codes and refresh tokens are exchanged.',
    revocation_endpoint: 'Where a token is ended.',
    introspection_endpoint: 'Where an API asks whether a token is valid.',
    userinfo_endpoint: 'Where an application reads who has logged in.',
    jwks_uri: 'Where the public keys are.',
    response_types_supported: 'The kinds of log-in: with a code only.',
    response_modes_supported: 'How the code comes back.',
    grant_types_supported: 'What the token endpoint takes.',
    code_challenge_methods_supported: 'PKCE is needed, with this method.',
    token_endpoint_auth_methods_supported: 'How a client proves itself at the token endpoint.',
    revocation_endpoint_auth_methods_supported: 'How a client proves itself when it ends a token.',
    introspection_endpoint_auth_methods_supported: 'How an API proves itself when it asks.',
    subject_types_supported: 'Every client sees the same id of a person.',
    id_token_signing_alg_values_supported: 'The algorithms of id tokens.',
    scopes_supported: 'Scopes that a client may ask for.',
    claims_supported: 'Claims that tokens and `userinfo` may have.',
    acr_values_supported: 'Levels of assurance that a client may ask for.',
    prompt_values_supported: 'Values of `prompt`.',
    ui_locales_supported: 'The languages of the pages.',
    authorization_response_iss_parameter_supported:
      'The redirect names the issuer, so that it cannot be mixed up.',
    client_id_metadata_document_supported: 'A `client_id` may be the address of a document.',
    request_parameter_supported: 'Whether requests may be signed objects.',
    request_uri_parameter_supported: 'Whether requests may be given by address.',
  }),
  ...ofNoun('ProtectedResourceMetadata', {
    resource: 'The address that tokens for it name as `aud`.',
    resource_name: 'The name that people see.',
    authorization_servers: 'Who issues its tokens.',
    scopes_supported: 'Scopes that have a meaning there.',
    bearer_methods_supported: 'How a token is sent.',
  }),
  ...ofNoun('IntrospectedToken', {
    active: 'Whether the token works now. If not, nothing else is said.',
    token_type: 'The kind of token.',
    exp: 'When it expires, in seconds since 1970.',
    iss: 'Who issued it.',
    aud: 'For whom it was issued.',
    tid: 'The tenant in which it works.',
    sid: 'The session to which it belongs.',
    sub: 'The account or key that it speaks for.',
  }),
  ...ofNoun('OAuthError', {
    error: 'The code of the error, by the OAuth specification.',
    error_description: 'What was wrong, for developers.',
  }),
  ...ofNoun('TokenHint', {
    token: 'The token that is meant.',
    token_type_hint: 'What kind of token it is. It is not needed.',
    client_secret: 'The secret of the client, if it has one.',
  }),
  ...ofNoun('OAuthTokens', {
    token_type: 'How the access token is sent.',
    id_token: 'Who has logged in, signed. Only with the scope `openid`, and for a code.',
  }),
  ...ofNoun('TokenRequest', {
    grant_type: "What is exchanged: a code, a refresh token, or the client's own credentials.",
    code: 'The code with which the browser returned. It works once.',
    code_verifier: 'The value whose hash the log-in began with.',
    resource: 'The API for which the token is meant.',
    client_secret: 'The secret of the client, if it has one.',
  }),
  ...ofNoun('UserInfo', {
    sub: 'The account.',
    name: 'The display name of the person.',
    email_verified: 'Whether the person has proven the mailbox.',
  }),
  ...ofNoun('SigningKeyRotated', {
    kid: 'The id of the new key.',
    state: 'Whether it signs already.',
  }),
  ...ofNoun('RotateSigningKeyBody', {
    mode: '`graceful` publishes a key before it signs; `revoke` ends all access tokens at once.',
  }),
}
