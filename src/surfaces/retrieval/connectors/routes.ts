/** Routes of connectors. */
import {
  etag,
  expectVersion,
  narrowSession,
  reply,
  requireScope,
  routesOf,
  sql,
} from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import { inCollection, requireRight } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { IngestionJob, jobView, requireJob } from '../ingestion/show-job.ts'
import { changeConnector, deleteConnector, beginRun } from './change-connector.ts'
import { createConnector, inspectConnector } from './create-connector.ts'
import { nextSyncAt, requireConnector } from './find-connector.ts'
import { ChangeConnector, Connector, CreateConnector, SyncConnector } from './schemas.ts'

const of_collection = '/v1/collections/{collection_id}/connectors'
const path = '/v1/connectors/{connector_id}'

const { open, get, list, create, post, patch, del } = routesOf<Deps>({
  absent: 'connector_not_found',
  permission: 'retrieval.collections.use',
  added: true,
})

export const connectorRoutes = open({
  addConnector: create(
    of_collection,
    'Add a connector',
    {
      description:
        'A `web` connector fetches pages and the pages below them that they link to, as far as robots.txt allows. An `uploads` connector adds every new file of yours for `document_ingest`. `job_id` is the first sync.',
      absent: 'collection_not_found',
      body: CreateConnector,
      reply: Connector,
      fails: ['permission_denied', 'validation_failed', 'destination_blocked', 'quota_exceeded'],
      added: false,
    },
    {
      prepare: ({ body }, deps) => inspectConnector(deps, body),
      handle: async ({ tx, principal, params: { collection_id }, body }, deps) => {
        const { tenant_id, id: created_by } = principal
        // It goes on reading every new file of the person.
        if (body.kind === 'uploads') requireScope(principal, 'uploads.read', 'uploads.write')
        const caller = await callerOf(tx, deps, principal)
        await requireRight(tx, caller, collection_id, 'manage')
        const place = { tenant_id, collection_id, created_by, session_id: narrowSession(principal) }
        const id = await createConnector(tx, deps, place, body)
        const made = await requireConnector(tx, caller, id)
        const headers = { location: path.replace('{connector_id}', id), etag: etag(made.version) }
        return reply(201, made, headers)
      },
    },
  ),

  listConnectors: list(of_collection, 'List the connectors of a collection', {
    absent: 'collection_not_found',
    from: 'retrieval.connectors',
    row: Connector,
    columns: { next_sync_at: nextSyncAt('t') },
    where: sql`t.state <> 'deleted'`,
    within: inCollection('manage'),
    oldest_first: true,
    fails: ['permission_denied'],
  }),

  getConnector: get(
    path,
    'A connector',
    { reply: Connector, fails: ['permission_denied'] },
    async ({ tx, principal, params: { connector_id } }, deps) =>
      await requireConnector(tx, await callerOf(tx, deps, principal), connector_id),
  ),

  changeConnector: patch(
    path,
    'Pause, resume or change a connector',
    {
      body: ChangeConnector,
      reply: Connector,
      fails: ['permission_denied', 'validation_failed', 'precondition_failed'],
    },
    async ({ tx, principal, params: { connector_id }, body, if_match }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      const before = await requireConnector(tx, caller, connector_id, 'lock')
      expectVersion(if_match, before.version)
      await changeConnector(tx, principal.tenant_id, before, body)
      return await requireConnector(tx, caller, connector_id)
    },
  ),

  deleteConnector: del(
    path,
    'Delete a connector; its documents stay',
    { fails: ['permission_denied'] },
    async ({ tx, principal, params: { connector_id } }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      await deleteConnector(tx, caller, connector_id)
    },
  ),

  syncConnector: post(
    `${path}/sync`,
    'Sync a connector now',
    {
      sends: ['location'],
      description:
        'A connector pauses itself when most of its documents have disappeared. To resume it, start a sync with `confirm_deletions`.',
      body: SyncConnector,
      body_optional: true,
      replies: { 202: IngestionJob },
      fails: ['job_not_found', 'permission_denied', 'validation_failed', 'sync_in_progress'],
    },
    async ({ tx, principal, params: { connector_id }, body }, deps) => {
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
  ),
})
