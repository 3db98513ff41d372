/** Routes about the applications that log people in here, and the APIs for which they get tokens. */
import { Type } from 'typebox'
import { closed, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { changeClient, deleteClient } from './change-client.ts'
import { clients, NewClientSecret } from './client.ts'
import { createClient } from './create-client.ts'
import { makeSecret, overlap_seconds_max } from './make-secret.ts'
import { resourceMetadata, ResourceMetadata } from './resource-metadata.ts'

const { open, list, create, get, post, patch, del } = routesOf<Deps>({
  absent: 'client_not_found',
  read: 'identity.clients.read',
  write: 'identity.clients.write',
  added: true,
})

const path = '/v1/clients'
const one = `${path}/{client_id}` as const
const refusals = ['client_invalid', 'permission_denied', 'step_up_required']

const resource = {
  permission: 'public',
  always: true,
  any_origin: true,
  headers: { 'cache-control': 'public, max-age=300' },
  reply: ResourceMetadata,
} as const

const NewSecret = closed({
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: overlap_seconds_max })),
})

export const clientRoutes = open({
  listClients: list(path, 'List the applications and APIs of the tenant, newest first', {
    from: 'identity.clients',
    row: clients.view,
    where: sql`t.deleted_at is null`,
    time: 'id',
    find: [],
  }),

  createClient: create(
    path,
    'Let an application log people in here, or define an API',
    {
      description:
        'The type `web` is for an application with a server, which keeps a secret; `spa` runs in a browser and `native` on a device. `redirect_uris` are compared exactly. `scopes` is the most that it may ask for. The type `api` is your own API at `uri`: applications get tokens for it with its `scopes`. Requires a recent authentication; `first_party`, with which nobody is asked, an operator.',
      idempotency: 'optional',
      body: clients.create,
      reply: clients.view,
      fails: [...refusals, 'client_exists', 'quota_exceeded'],
    },
    async ({ tx, body, request, ...editor }, deps) =>
      await createClient(tx, deps, body, editor, request),
  ),

  getClient: get(
    one,
    'Get an application or API of the tenant',
    { reply: clients.view },
    async ({ tx, principal: { tenant_id }, params }) =>
      await clients.required(tx, { tenant_id }, params.client_id),
  ),

  changeClient: patch(
    one,
    'Change an application or API',
    {
      description:
        'Taking a redirect URI or a scope from it ends what people have granted it. Requires a recent authentication.',
      body: clients.change,
      reply: clients.view,
      fails: [...refusals, 'precondition_failed'],
    },
    async ({ tx, body, params, if_match, request, ...editor }, deps) =>
      await changeClient(tx, deps, { id: params.client_id, body, if_match }, editor, request),
  ),

  deleteClient: del(
    one,
    'Delete an application or API',
    {
      description:
        'What people have granted it ends in the same moment. Requires a recent authentication.',
      fails: ['precondition_failed', 'step_up_required'],
    },
    async ({ tx, params, if_match, request, ...editor }, deps) => {
      await deleteClient(tx, deps, { id: params.client_id, if_match }, editor, request)
    },
  ),

  getProtectedResource: get(
    '/.well-known/oauth-protected-resource/v1',
    'Get what an application needs to know before it asks for tokens of this API',
    {
      ...resource,
      description: 'RFC 9728. Every reply 401 names it in `WWW-Authenticate`.',
    },
    (_context, deps) => resourceMetadata(deps),
  ),

  getProtectedResourceForModels: get(
    '/.well-known/oauth-protected-resource/mcp',
    'The same, of the API for models: its tokens work at /mcp alone',
    resource,
    (_context, deps) => resourceMetadata(deps, '/mcp'),
  ),

  getProtectedResourceOfHost: get(
    '/.well-known/oauth-protected-resource',
    'The same, for applications that know only the host',
    resource,
    (_context, deps) => resourceMetadata(deps),
  ),

  createClientSecret: post(
    `${one}/secrets`,
    'Get a new secret of a client; it is shown once',
    {
      description:
        'For the types `web` and `api`. The secret before it is valid for `overlap_seconds` more, by default 24 hours. With 0 it ends now, together with what people have granted the client. Requires a recent authentication.',
      idempotency: 'optional',
      record: 'sealed',
      body: NewSecret,
      body_optional: true,
      replies: { 201: NewClientSecret },
      fails: refusals,
    },
    async ({ tx, params, body, request, ...editor }, deps) => {
      const overlap_seconds = body?.overlap_seconds ?? overlap_seconds_max
      const asked = { id: params.client_id, overlap_seconds }
      return reply(201, await makeSecret(tx, deps, asked, editor, request))
    },
  ),
})
