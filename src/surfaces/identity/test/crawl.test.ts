/** Identity under the crawler: its own provider outside, and how people, keys and roles come about. */
import { afterAll } from 'vitest'
import type { Recipe, Subject } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import * as factors from './crawl-factors.ts'
import {
  linkedIdentity,
  linkTicket,
  postedForm,
  provider_name,
  refusedLogin,
} from './crawl-oidc.ts'
import { oauthRecipes } from './crawl-oauth.ts'
import { organizationRecipes, organizationSubjects } from './crawl-organizations.ts'
import { pageRecipes } from './crawl-pages.ts'
import * as people from './crawl-people.ts'
import type { Making } from './crawl-people.ts'
import { application } from './oidc-browser.ts'
import { startRealProvider } from './oidc-real-provider.ts'
import { origin } from './second-factor.ts'

const issuer = await startRealProvider(origin, [provider_name])
afterAll(() => issuer.close())

/** What was asked for by an address alone tells nothing, so no tenant owns it. */
const asked = (path: string, say: (maker: Making) => object): Subject<ProductWorld, Member> => ({
  shared: true,
  make: async maker => (await maker.ask('POST', path, say(maker))).id,
})

const address = ({ person }: Making) => ({ email: people.newEmail(), tenant: person.tenant.slug })
const newAddress = ({ person }: Making) => ({
  email: people.newEmail(),
  current_password: person.password,
})
const newSlug = () => `s-${newId().slice(-12)}`
const connection = () => ({
  name: 'a provider',
  kind: 'oidc',
  issuer: issuer.issuer,
  client_id: provider_name,
})
const webApplication = () => ({
  name: 'an application',
  type: 'web',
  redirect_uris: ['https://app.test/callback'],
})
const apiKey = () => ({ name: 'key', permissions: ['identity.accounts.read'] })

const says = (say: (maker: Making) => unknown): Recipe<ProductWorld, Member> => ({
  request: async maker => ({ body: await say(maker) }),
})

await crawlSurface({
  surface: 'identity',
  settings: {
    IDENTITY_OIDC_PROVIDERS: JSON.stringify([
      {
        name: provider_name,
        issuer: issuer.issuer,
        client_id: provider_name,
        client_secret: issuer.client_secret,
      },
    ]),
    IDENTITY_CAPTCHA_WORK: '1',
    IDENTITY_REDIRECT_URIS: application,
    IDENTITY_API_KEYS_PER_ACCOUNT: '1000',
    IDENTITY_CLIENTS_MOST: '1000',
    IDENTITY_CONNECTIONS_MOST: '1000',
    IDENTITY_MFA_METHODS_PER_ACCOUNT: '100',
    IDENTITY_SESSIONS_PER_ACCOUNT: '1000',
    IDENTITY_ROLES_PER_TENANT: '1000',
    IDENTITY_ORGANIZATIONS_PER_ACCOUNT: '1000',
    IDENTITY_DOMAINS_MOST: '1000',
  },
  subjects: {
    '/v1/registrations/{id}': asked('/v1/accounts', people.registration),
    '/v1/email-verification-requests/{id}': asked('/v1/email-verification-requests', address),
    '/v1/password-reset-requests/{id}': asked('/v1/password-reset-requests', address),
    '/v1/login-codes/{id}': asked('/v1/login-codes', address),
    '/v1/accounts/{account_id}': { make: people.account },
    '/v1/accounts/{account_id}/roles/{role_id}': { shared: true, make: () => 'auditor' },
    '/v1/factor-resets/{factor_reset_id}': { make: factors.waitingReset },
    '/v1/sessions/{session_id}': { make: people.session },
    ...organizationSubjects,
    '/v1/mfa/challenges/{challenge_id}': { make: factors.challenge },
    '/v1/mfa/methods/{method_id}': { make: factors.pendingMethod },
    '/v1/oidc/{provider}': { shared: true, make: () => provider_name },
    '/v1/me/external-identities/{external_identity_id}': { make: linkedIdentity },
    '/v1/connections/{connection_id}': {
      make: async ({ ask }) => (await ask('POST', '/v1/connections', connection())).id,
    },
    '/v1/clients/{client_id}': {
      make: async ({ ask }) => (await ask('POST', '/v1/clients', webApplication())).id,
    },
    // An operator of the platform sees every tenant.
    '/v1/tenants/{tenant_id}': {
      shared: true,
      make: async ({ ask }) =>
        (await ask('POST', '/v1/tenants', { slug: newSlug(), name: 'a tenant' })).id,
    },
  },
  recipes: {
    'POST /v1/accounts': says(people.registration),
    'POST /v1/email-verifications': says(people.mailedVerification),
    'POST /v1/email-verification-requests': says(address),
    'POST /v1/email-changes': says(newAddress),
    'POST /v1/password-reset-requests': says(address),
    'POST /v1/login-codes': says(address),
    'POST /v1/login-options': says(address),
    'POST /v1/captcha-challenges': says(() => ({ purpose: 'registration' })),
    'POST /v1/password-resets': says(people.mailedReset),
    'POST /v1/password-changes': {
      // Of changes of one password at once, one counts.
      asker: ({ world }) => world.member(),
      request: ({ person }) => ({
        body: { current_password: person.password, new_password: person.password },
      }),
    },
    'POST /v1/invitations': {
      request: () => ({ body: { email: people.newEmail() } }),
      refusal: ({ person: { email } }) => ({ body: { email } }),
    },
    'POST /v1/sessions': says(({ person }) => people.credentials(person)),
    'POST /v1/sessions/{session_id}/refresh': {
      request: (_maker, params) => ({
        body: { refresh_token: people.refreshToken(params['session_id'] ?? '') },
      }),
    },
    'GET /v1/sessions/current': { bearer: true },
    'DELETE /v1/sessions/{session_id}': { bearer: true },
    'GET /v1/mfa/challenges/{challenge_id}': { bearer: true },
    'POST /v1/mfa/challenges': {
      bearer: true,
      request: async maker => ({ body: { method_id: (await factors.activeKey(maker)).method_id } }),
    },
    'POST /v1/mfa/challenges/{challenge_id}/verify': {
      bearer: true,
      request: (_maker, params) => ({
        body: { assertion: factors.assertion(params['challenge_id'] ?? '') },
      }),
    },
    'POST /v1/mfa/methods/{method_id}/activate': {
      // With its first factor an account asks for more before it takes a second.
      asker: ({ world }) => world.member(),
      request: (_maker, params) => ({
        body: { attestation: factors.attestation(params['method_id'] ?? '') },
      }),
    },
    'POST /v1/accounts/{account_id}/factor-resets': {
      request: async (maker, { account_id = '' }) => {
        await factors.loseFactor(maker, account_id)
        return { body: { reason: 'The phone is lost.' } }
      },
    },
    'POST /v1/factor-resets/stop': says(async maker => ({ token: await factors.stopToken(maker) })),
    'POST /v1/mfa/recovery-codes': { asker: factors.strong },
    'POST /v1/oidc/{provider}/authorizations': says(({ person }) => ({
      redirect_uri: application,
      tenant: person.tenant.slug,
    })),
    'GET /v1/oidc/{provider}/callback': { request: refusedLogin },
    'POST /v1/oidc/{provider}/callback': { request: postedForm },
    'POST /v1/connections': says(connection),
    'PATCH /v1/connections/{connection_id}': says(() => ({ name: 'another name' })),
    'POST /v1/clients': says(webApplication),
    'PATCH /v1/clients/{client_id}': says(() => ({ name: 'another name' })),
    'POST /v1/me/external-identities': says(async maker => ({
      oidc_ticket: await linkTicket(maker),
    })),
    'POST /v1/roles': says(() => ({
      role_id: `r_${newId().slice(-12)}`,
      name: 'a role',
      permissions: ['identity.accounts.read'],
    })),
    'POST /v1/api-keys': says(apiKey),
    'POST /v1/tenants': says(() => ({ slug: newSlug(), name: 'a tenant' })),
    'PATCH /v1/accounts/{account_id}': says(() => ({ status: 'disabled' })),
    ...organizationRecipes,
    ...pageRecipes,
    ...oauthRecipes,
  },
})
