/** Routes of connectors. */
import { etag, expectVersion } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import { callerOf } from '../access/principals.ts'
import { requireRight } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { IngestionJob, jobView, requireJob } from '../ingestion/show-job.ts'
import { changeConnector, deleteConnector, beginRun } from './change-connector.ts'
import { createConnector, inspectConnector } from './create-connector.ts'
import { listConnectors, requireConnector } from './find-connector.ts'
import {
  ChangeConnector,
  Connector,
  ConnectorPage,
  CreateConnector,
  SyncConnector,
} from './schemas.ts'

const of_collection = '/v1/collections/{collection_id}/connectors'
const path = '/v1/connectors/{connector_id}'
const permission = 'retrieval.collections.use'
const shared = { permission, absent: 'connector_not_found', added: true } as const
const collection = { permission, absent: 'collection_not_found' } as const

export function connectorRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    listRoute(deps),
    getRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
    syncRoute(deps),
  ]
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: of_collection,
    name: 'addConnector',
    summary: 'Add a connector',
    description:
      'A `web` connector fetches pages and the pages below them that they link to, as far as robots.txt allows. An `uploads` connector adds every new file of yours for `document_ingest`. `job_id` is the first sync.',
    sends: ['location', 'etag'],
    ...collection,
    body: CreateConnector,
    replies: { 201: Connector },
    fails: [
      'collection_not_found',
      'permission_denied',
      'validation_failed',
      'destination_blocked',
      'quota_exceeded',
    ],
    prepare: ({ body }) => inspectConnector(deps, body),
    handle: async ({ tx, principal, params: { collection_id }, body }) => {
      const { tenant_id, id: created_by } = principal
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'manage')
      const id = await createConnector(tx, deps, { tenant_id, collection_id, created_by }, body)
      const made = await requireConnector(tx, caller, id)
      const headers = { location: path.replace('{connector_id}', id), etag: etag(made.version) }
      return reply(201, made, headers)
    },
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: of_collection,
    name: 'listConnectors',
    summary: 'List the connectors of a collection',
    ...collection,
    added: true,
    query: pageQuery({}),
    replies: { 200: ConnectorPage },
    fails: ['collection_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { collection_id }, list }) => {
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'manage')
      const { body, headers } = await listConnectors(tx, list, caller, collection_id)
      return reply(200, body, headers)
    },
  })
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'getConnector',
    summary: 'A connector',
    sends: ['etag'],
    ...shared,
    replies: { 200: Connector },
    fails: ['connector_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { connector_id } }) => {
      const found = await requireConnector(tx, await callerOf(tx, deps, principal), connector_id)
      return reply(200, found, { etag: etag(found.version) })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PATCH',
    path,
    name: 'changeConnector',
    summary: 'Pause, resume or change a connector',
    sends: ['etag'],
    ...shared,
    body: ChangeConnector,
    replies: { 200: Connector },
    fails: ['connector_not_found', 'permission_denied', 'validation_failed', 'precondition_failed'],
    handle: async ({ tx, principal, params: { connector_id }, body, request }) => {
      const caller = await callerOf(tx, deps, principal)
      const before = await requireConnector(tx, caller, connector_id, 'lock')
      expectVersion(request.headers['if-match'], before.version)
      await changeConnector(tx, principal.tenant_id, before, body)
      const after = await requireConnector(tx, caller, connector_id)
      return reply(200, after, { etag: etag(after.version) })
    },
  })
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path,
    name: 'deleteConnector',
    summary: 'Delete a connector; its documents stay',
    ...shared,
    replies: { 204: null },
    fails: ['connector_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { connector_id } }) => {
      const caller = await callerOf(tx, deps, principal)
      await deleteConnector(tx, caller, connector_id)
      return reply(204, null)
    },
  })
}

function syncRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/sync`,
    name: 'syncConnector',
    summary: 'Sync a connector now',
    description:
      'A connector pauses itself when most of its documents have disappeared. To resume it, start a sync with `confirm_deletions`.',
    sends: ['location'],
    ...shared,
    body: SyncConnector,
    body_optional: true,
    replies: { 202: IngestionJob },
    fails: [
      'connector_not_found',
      'job_not_found',
      'permission_denied',
      'validation_failed',
      'sync_in_progress',
    ],
    handle: async ({ tx, principal, params: { connector_id }, body }) => {
      const { tenant_id, id } = principal
      const caller = await callerOf(tx, deps, principal)
      const before = await requireConnector(tx, caller, connector_id, 'lock')
      const { confirm_deletions = false } = { ...body }
      if (before.state !== 'active' && confirm_deletions) {
        await changeConnector(tx, tenant_id, before, { state: 'active' })
      }
      const job_id = await beginRun(tx, deps, tenant_id, before, id, confirm_deletions)
      const row = await requireJob(tx, caller, principal, job_id)
      const headers = { location: `/v1/ingestion-jobs/${job_id}` }
      return reply(202, await jobView(tx, deps, tenant_id, row), headers)
    },
  })
}
