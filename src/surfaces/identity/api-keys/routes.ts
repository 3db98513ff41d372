/** Routes about API keys. A key is a Bearer credential whose principal is a service account. */
import { exact, looked, oneOf, owner, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { createApiKey } from './create-api-key.ts'
import { manage_any, revokeApiKey } from './revoke-api-key.ts'
import { ApiKey, apiKeyState, CreateApiKey, NewApiKey } from './schemas.ts'

const { open, create, list, del } = routesOf<Deps>({ permission: 'authenticated', added: true })

export const apiKeyRoutes = open({
  listApiKeys: list(
    '/v1/api-keys',
    'List my API keys of this tenant, or those of another account or of the tenant',
    {
      fails: ['permission_denied'],
      from: 'identity.api_keys',
      row: ApiKey,
      columns: { state: apiKeyState },
      of: owner('account_id', manage_any, 'own'),
      time: 'id',
      filters: {
        owner: looked(
          oneOf('account', 'organization'),
          owner => sql`(t.account_id is null) = ${owner === 'organization'}`,
        ),
        state: looked(
          oneOf('active', 'revoked', 'expired'),
          state => sql`${apiKeyState} = ${state}`,
        ),
      },
      find: [exact('prefix')],
    },
  ),

  createApiKey: create(
    '/v1/api-keys',
    'Create an API key; it is shown once',
    {
      sends: [],
      description:
        'The key is shown only in this reply, and in repeats of the request with the same `Idempotency-Key`. At each request, it has only permissions that its owner has at that time. A key with `owner: organization` belongs to the tenant: it keeps its permissions when its maker leaves, and every holder of `identity.api_keys.manage_any` sees and revokes it. Making one needs that permission and a recent authentication.',
      idempotency: 'optional',
      record: 'sealed',
      asks_grants: true,
      body: CreateApiKey,
      for_others: manage_any,
      instead: {
        scopes: 'permissions',
        readonly: 'permissions',
        expires: 'expires_at',
        expires_in: 'expires_at',
        ttl: 'expires_at',
      },
      reply: NewApiKey,
      fails: [
        'duty_conflict',
        'permission_denied',
        'quota_exceeded',
        'step_up_required',
        'unknown_permission',
        'validation_failed',
      ],
    },
    async ({ tx, body, principal, grants, request }, deps) => {
      const maker = { principal, grants: await grants() }
      return await createApiKey(tx, deps, body, maker, request)
    },
  ),

  revokeApiKey: del(
    '/v1/api-keys/{api_key_id}',
    'Revoke an API key',
    { for_others: manage_any, asks_grants: true, absent: 'api_key_not_found' },
    async ({ tx, params, principal, grants, request }) => {
      const caller = { principal, grants: await grants() }
      await revokeApiKey(tx, params.api_key_id, caller, request)
    },
  ),
})
