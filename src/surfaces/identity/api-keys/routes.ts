/** Routes about API keys. A key is a Bearer credential whose principal is a service account. */
import { Type } from 'typebox'
import { lacks } from '../../../kernel/access/permission-denied.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id, pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { apiKeyColumns, createApiKey } from './create-api-key.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { ApiKey, ApiKeyPage, CreateApiKey, NewApiKey } from './schemas.ts'

const manage_any = 'identity.api_keys.manage_any'

export function apiKeyRoutes(deps: Deps): readonly Route[] {
  return [listRoute(), createRoute(deps), revokeRoute()]
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/api-keys',
    name: 'listApiKeys',
    summary: 'List my API keys, or those of another account',
    permission: 'authenticated',
    added: true,
    query: pageQuery({ account_id: Type.Optional(Id) }),
    replies: { 200: ApiKeyPage },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, query, list, grants }) => {
      const { account_id = principal.id } = query
      const others = account_id !== principal.id
      if (others && !(await grants()).has(manage_any)) throw lacks(manage_any)
      const { body, headers } = await page(tx, {
        scope: list,
        row: ApiKey,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${apiKeyColumns} from identity.api_keys
          where account_id = ${account_id}
            and (${!others} or tenant_id = ${principal.tenant_id})
            and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc
          limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/api-keys',
    name: 'createApiKey',
    summary: 'Create an API key; it is shown once',
    description:
      'The key is shown only in this reply, and in repeats of the request with the same `Idempotency-Key`. At each request, it has only permissions that its owner has at that time.',
    idempotency: 'optional',
    record: 'sealed',
    permission: 'authenticated',
    added: true,
    asks_grants: true,
    body: CreateApiKey,
    refuses: {
      scopes: 'permissions',
      readonly: 'permissions',
      expires: 'expires_at',
      expires_in: 'expires_at',
      ttl: 'expires_at',
      max_uses: null,
      allowed_ips: null,
      ip_allowlist: null,
      ip_whitelist: null,
      rate_limit: null,
    },
    replies: { 201: NewApiKey },
    fails: [
      'duty_conflict',
      'permission_denied',
      'quota_exceeded',
      'unknown_permission',
      'validation_failed',
    ],
    handle: async ({ tx, body, principal, grants, request }) => {
      const maker = { principal, grants: await grants() }
      return reply(201, await createApiKey(tx, deps, body, maker, request))
    },
  })
}

function revokeRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/v1/api-keys/{api_key_id}',
    name: 'revokeApiKey',
    summary: 'Revoke an API key',
    permission: 'authenticated',
    added: true,
    asks_grants: true,
    absent: 'api_key_not_found',
    replies: { 204: null },
    fails: ['api_key_not_found'],
    handle: async ({ tx, params, principal, grants, request }) => {
      const may_any = (await grants()).has(manage_any)
      await revokeApiKey(tx, params.api_key_id, principal, may_any, request)
      return reply(204, null)
    },
  })
}
