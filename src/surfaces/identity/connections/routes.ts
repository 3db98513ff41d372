/** Routes about the identity providers of a tenant. */
import { routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { changeConnection, deleteConnection, prepareChange } from './change-connection.ts'
import { ChangeConnection, connections, CreateConnection } from './connection.ts'
import { createConnection, prepareConnection } from './create-connection.ts'

const { open, list, create, get, patch, del } = routesOf<Deps>({
  absent: 'connection_not_found',
  read: 'identity.connections.read',
  write: 'identity.connections.write',
  added: true,
})

const path = '/v1/connections'
const one = `${path}/{connection_id}` as const
const refusals = ['connection_invalid', 'permission_denied', 'role_not_found', 'step_up_required']

export const connectionRoutes = open({
  listConnections: list(path, 'List the identity providers of the tenant, newest first', {
    from: 'identity.connections',
    row: connections.view,
    where: sql`t.deleted_at is null`,
    time: 'id',
    find: [],
  }),

  createConnection: create(
    path,
    'Connect an identity provider',
    {
      description:
        'People of the tenant then log in there: the log-in page offers it, and `/v1/oidc/{provider}/…` takes its id. Give the provider the redirect URI `<PUBLIC_URL>/v1/oidc/<id>/callback`. The secret is never shown. Requires a recent authentication.',
      idempotency: 'optional',
      body: CreateConnection,
      reply: connections.view,
      fails: [...refusals, 'quota_exceeded'],
    },
    {
      prepare: async (context, deps) => await prepareConnection(deps, context.body, context),
      handle: async ({ tx, body, prepared: wanted, request, ...editor }, deps) =>
        await createConnection(tx, deps, { body, wanted }, editor, request),
    },
  ),

  getConnection: get(
    one,
    'Get an identity provider of the tenant',
    { reply: connections.view },
    async ({ tx, principal: { tenant_id }, params }) =>
      await connections.required(tx, { tenant_id }, params.connection_id),
  ),

  changeConnection: patch(
    one,
    'Change, disable or enable an identity provider',
    {
      description:
        'Disabling ends the sessions that began there. Requires a recent authentication.',
      body: ChangeConnection,
      reply: connections.view,
      fails: [...refusals, 'precondition_failed'],
    },
    {
      prepare: async (context, deps) =>
        await prepareChange(deps, context.params.connection_id, context.body, context),
      handle: async ({ tx, body, params, prepared, if_match, request, ...editor }, deps) => {
        const asked = { id: params.connection_id, body, prepared, if_match }
        return await changeConnection(tx, deps, asked, editor, request)
      },
    },
  ),

  deleteConnection: del(
    one,
    'Delete an identity provider',
    {
      description:
        'The sessions that began there end. Identities of it are of no use any more. Requires a recent authentication.',
      fails: ['permission_denied', 'precondition_failed', 'step_up_required'],
    },
    async ({ tx, params, if_match, request, ...editor }, deps) => {
      const asked = { id: params.connection_id, if_match }
      await deleteConnection(tx, deps, asked, editor, request)
    },
  ),
})
