/** The explanations of this surface in the published document. */
import type { Reference } from '#dodeca/kernel'
import { accountsReference } from './accounts/reference.ts'
import { apiKeysReference } from './api-keys/reference.ts'
import { clientsReference } from './clients/reference.ts'
import { connectionsReference } from './connections/reference.ts'
import { mfaReference } from './mfa/reference.ts'
import { organizationsReference } from './organizations/reference.ts'
import { sessionsReference } from './sessions/reference.ts'

export const reference: Reference = {
  introduction:
    'Accounts, sessions, second factors, roles and API keys. A person logs in to one tenant and gets a short-lived access token and a refresh token; programs use API keys. The grants of an account are read from its roles at each request.',
  members: {
    ...accountsReference,
    ...sessionsReference,
    ...mfaReference,
    ...apiKeysReference,
    ...organizationsReference,
    ...connectionsReference,
    ...clientsReference,
    'path.client_id': ['The id of the application.'],
    'query.owner': ['`account`: keys of people. `organization`: keys of the tenant.'],
    'query.except_current': ['True: the session that asks goes on.'],
    'completeOidcLogin.state': ['The `state` that began the log-in.'],
    'completeOidcLogin.code': ['The code of the provider. It is used once.'],
    'completeOidcLogin.iss': ['The provider, as it names itself.'],
    'completeOidcLogin.error': ['Why the provider refused.'],
    'completeOidcLogin.error_description': ['The same in words of the provider. It is not shown.'],
    email: ['The mail address, as the person wrote it.', 'ada@example.com'],
    password: [
      'The password: 12 to 128 characters, not easy to guess.',
      'correct horse battery staple',
    ],
    display_name: ['The display name of the person.', 'Ada Lovelace'],
    access_token: [
      'Send it as `Authorization: Bearer`; it expires after `expires_in` seconds.',
      'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2ln',
    ],
    refresh_token: ['Exchange it once for new tokens; keep it secret.', 'rt_Zr1kqQm0bE4'],
    expires_in: ['Seconds until the access token expires.', 900],
    'OidcAuthorization.expires_in': ['Seconds in which the person has to log in there.', 600],
    authorization_url: [
      'The page of the provider to which you send the browser.',
      'https://accounts.google.com/o/oauth2/v2/auth?client_id=…',
    ],
    redirect_uri: [
      'Your page to which the person returns; one of `IDENTITY_REDIRECT_URIS`.',
      'https://app.example.com/signed-in',
    ],
    oidc_ticket: ['The `ticket` with which the browser returned from the identity provider.'],
    tenant: ['The name of the tenant in URLs.', 'acme'],
    active_tenant_id: [
      'The tenant in which the credential works now, with these `roles` and `permissions`. `tenant_id` is the home of the account.',
      '019c8f3a-5b20-7d41-9e6b-2f1c40d7a961',
    ],
    scope: ['What the session may do, as words. Null if it may do whatever the account may.'],
    client_id: [
      'The application to which the session was given.',
      'https://app.example.com/client',
    ],
    bound_tenant_id: [
      'The only tenant in which the session works.',
      '019c8f3a-5b20-7d41-9e6b-2f1c40d7a961',
    ],
    slug: ['The name of the tenant in URLs.', 'acme'],
    permissions: ['Permissions. Some can be limited to one type.'],
    role_id: ['The name of the role.', 'support_viewer'],
    aal: ['The assurance level of the caller: `aal2` with a second factor.'],
    auth_time: ['When the person last logged in.'],
    csrf_token: ['Send it as `X-CSRF-Token` where a cookie is the credential.', '5hT0yq'],
    recovery_codes: [
      'Recovery codes. Each replaces the second factor once. They are shown only in this reply.',
    ],
    current_password: ['The current password.', 'correct horse battery staple'],
    new_password: ['The new password.', 'several words that do not belong together'],
    ip_prefix: ['The network of the client, without its last bits.', '203.0.113.0/24'],
    locale: ['The language of mails, by BCP 47.', 'en'],
  },
}
