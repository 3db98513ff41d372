/** Routes of index versions. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import { callerOf } from '../access/principals.ts'
import { lockCollection, requireCollection, requireRight } from '../collections/find-collection.ts'
import { Collection } from '../collections/schemas.ts'
import type { Deps } from '../deps.ts'
import { reindex } from './reindex.ts'
import { IndexVersionPage, IndexVersionView, Reindex, Reindexing } from './schemas.ts'
import { switchIndex } from './switch-index.ts'

const of_collection = '/v1/collections/{collection_id}'
const absent = 'collection_not_found'
const shared = { permission: 'retrieval.collections.use', absent } as const

export function indexRoutes(deps: Deps): readonly Route[] {
  return [reindexRoute(deps), listRoute(deps), activateRoute(deps)]
}

function reindexRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${of_collection}/reindex`,
    name: 'reindexCollection',
    summary: 'Rebuild the index of a collection',
    description:
      'A new index version is built while searches use the active one. You activate the new version yourself, or it is activated after the stored evaluation queries show that it is not worse than `min_delta_ndcg` permits.',
    sends: ['location'],
    ...shared,
    body: Reindex,
    body_optional: true,
    replies: { 202: Reindexing },
    fails: [
      absent,
      'permission_denied',
      'validation_failed',
      'unknown_embedding_profile',
      'reindex_in_progress',
    ],
    handle: async ({ tx, principal, params: { collection_id }, body }) => {
      const caller = await callerOf(tx, deps, principal)
      const begun = await reindex(tx, deps, caller, principal.id, collection_id, { ...body })
      const { job_id, index_version } = begun
      return reply(
        202,
        { id: job_id, job_id, index_version, state: 'pending' as const, status: 'queued' as const },
        { location: `/v1/ingestion-jobs/${job_id}` },
      )
    },
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: `${of_collection}/index-versions`,
    name: 'listIndexVersions',
    summary: 'List the index versions of a collection',
    ...shared,
    added: true,
    query: pageQuery({}),
    replies: { 200: IndexVersionPage },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { collection_id }, list }) => {
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'read')
      const { body, headers } = await pageOf(tx, {
        scope: list,
        row: IndexVersionView,
        place: ['version'],
        fetch: ({ version }, n) => sql`
          select collection_id, version, embedding_profile, state, metrics, created_at,
            activated_at, retired_at
          from retrieval.index_versions
          where tenant_id = ${caller.tenant_id} and collection_id = ${collection_id}
            and (${version}::int is null or version < ${version}::int)
          order by version desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function activateRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${of_collection}/index-versions/{version}/activate`,
    name: 'activateIndexVersion',
    summary: 'Activate another index version',
    description:
      'The version must be `ready`. To go back, choose a version that was replaced in the last days.',
    ...shared,
    params: { version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) },
    added: true,
    replies: { 200: Collection },
    fails: [absent, 'permission_denied', 'index_version_not_found', 'index_version_not_ready'],
    handle: async ({ tx, principal, params: { collection_id, version } }) => {
      const caller = await callerOf(tx, deps, principal)
      await lockCollection(tx, caller, collection_id, 'manage')
      const days = deps.kernel.settings['retrieval.rollback_days']
      await switchIndex(tx, days, caller.tenant_id, collection_id, Number(version))
      return reply(200, await requireCollection(tx, caller, collection_id, 'manage'))
    },
  })
}
