/** Logging in at an identity provider, and the caller's own identities. */
import { Type } from 'typebox'
import { page, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Authorization, beginAuthorization, BeginAuthorization } from './begin-authorization.ts'
import { finishAuthorization, Returned } from './finish-authorization.ts'
import { LinkIdentity, linkIdentity } from './use-ticket.ts'
import { ProviderName } from './providers.ts'
import { ExternalIdentity, identityColumns } from './store-identity.ts'
import { callbackPath } from './browser-binding.ts'
import { onward } from './onward-page.ts'
import { form_bytes_max, storeForm } from './stored-forms.ts'
import { unlinkIdentity } from './unlink-identity.ts'

const { open, get, list, create, post, del } = routesOf<Deps>({
  absent: 'oidc_provider_not_found',
  permission: 'authenticated',
  added: true,
  params: { provider: ProviderName },
})

export const oidcRoutes = open({
  beginOidcLogin: create(
    '/v1/oidc/{provider}/authorizations',
    'Begin a login at an identity provider',
    {
      description:
        'Send the same browser to `authorization_url`; it returns to `redirect_uri` with `ticket` or `error`. With `purpose: "link"` the ticket links the identity to the account of the caller.',
      permission: 'public',
      takes: 'optional',
      body: BeginAuthorization,
      transaction: 'own',
      reply: Authorization,
      fails: ['redirect_uri_not_allowed', 'session_bound', 'tenant_not_found', 'step_up_required'],
    },
    async ({ params, body, principal, request }, deps) => {
      const asked = { provider: params.provider, body, principal, request }
      const begun = await beginAuthorization(deps, asked)
      return reply(201, begun.body, { 'set-cookie': begun.cookie })
    },
  ),

  completeOidcLogin: get(
    '/v1/oidc/{provider}/callback',
    'Return from an identity provider',
    {
      description:
        'The identity provider redirects the browser to this address. Programs do not call it.',
      permission: 'public',
      foreign_query: true,
      query: Returned,
      transaction: 'own',
      replies: { 303: null },
      fails: ['oidc_state_invalid'],
    },
    async ({ params, query, request }, deps) => {
      const back = { provider: params.provider, returned: query, request }
      return reply(303, null, await finishAuthorization(deps, back))
    },
  ),

  storeOidcForm: post(
    '/v1/oidc/{provider}/callback',
    'Return from an identity provider that sends a form',
    {
      description:
        'The identity provider sends the browser to this address. The reply leads it on to the same address by GET. Programs do not call it.',
      permission: 'public',
      consumes: 'raw',
      bodyLimitFor: () => form_bytes_max,
      produces: ['text/html'],
      transaction: 'own',
      replies: { 200: Type.String() },
      fails: ['oidc_state_invalid', 'rate_limited', 'overloaded'],
    },
    async ({ params: { provider }, request }, deps) => {
      const state = await storeForm(deps, provider, request.raw, request)
      const { html, headers } = onward(
        `${callbackPath(provider)}?${new URLSearchParams({ state })}`,
      )
      return reply(200, html, headers)
    },
  ),

  listExternalIdentities: list(
    '/v1/me/external-identities',
    'List the identities with which I can log in',
    { item: ExternalIdentity },
    async ({ tx, principal, list }) =>
      await page(tx, {
        scope: list,
        row: ExternalIdentity,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${identityColumns} from identity.external_identities t
          where t.account_id = ${principal.id} and t.unlinked_at is null
            and (${after.id}::uuid is null or t.id < ${after.id}::uuid)
          order by t.id desc limit ${n}`,
      }),
  ),

  linkExternalIdentity: create(
    '/v1/me/external-identities',
    'Link an identity to my account',
    {
      sends: [],
      idempotency: 'optional',
      body: LinkIdentity,
      reply: ExternalIdentity,
      fails: ['oidc_ticket_invalid', 'external_identity_taken', 'session_bound'],
    },
    async ({ tx, principal, body, request }) => await linkIdentity(tx, principal, body, request),
  ),

  unlinkExternalIdentity: del(
    '/v1/me/external-identities/{external_identity_id}',
    'Unlink an identity from my account',
    {
      absent: 'external_identity_not_found',
      fails: ['last_credential', 'session_bound', 'step_up_required'],
    },
    async ({ tx, principal, params, request }, deps) => {
      await unlinkIdentity(tx, deps, principal, params.external_identity_id, request)
    },
  ),
})
