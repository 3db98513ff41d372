/** Routes of index versions. */
import { Type } from 'typebox'
import { page, routesOf, sql } from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import { lockCollection, requireCollection, requireRight } from '../collections/find-collection.ts'
import { Collection } from '../collections/schemas.ts'
import type { Deps } from '../deps.ts'
import { reindex } from './reindex.ts'
import { IndexVersionView, Reindex, Reindexing } from './schemas.ts'
import { switchIndex } from './switch-index.ts'

const of_collection = '/v1/collections/{collection_id}'

const { open, list, post } = routesOf<Deps>({
  absent: 'collection_not_found',
  permission: 'retrieval.collections.use',
  params: { version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) },
})

export const indexRoutes = open({
  reindexCollection: post(
    `${of_collection}/reindex`,
    'Rebuild the index of a collection',
    {
      description:
        'A new index version is built while searches use the active one. You activate the new version yourself, or it is activated after the stored evaluation queries show that it is not worse than `min_delta_ndcg` permits.',
      body: Reindex,
      body_optional: true,
      replies: { 202: Reindexing },
      location: '/v1/ingestion-jobs/{job_id}',
      fails: [
        'permission_denied',
        'validation_failed',
        'unknown_embedding_profile',
        'reindex_in_progress',
      ],
    },
    async ({ tx, principal, params: { collection_id }, body }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      const begun = await reindex(tx, deps, caller, principal.id, collection_id, { ...body })
      const { job_id, index_version } = begun
      return {
        id: job_id,
        job_id,
        index_version,
        state: 'pending' as const,
        status: 'queued' as const,
      }
    },
  ),

  listIndexVersions: list(
    `${of_collection}/index-versions`,
    'List the index versions of a collection',
    { added: true, item: IndexVersionView, fails: ['permission_denied'] },
    async ({ tx, principal, params: { collection_id }, list }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'read')
      return page(tx, {
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
    },
  ),

  activateIndexVersion: post(
    `${of_collection}/index-versions/{version}/activate`,
    'Activate another index version',
    {
      description:
        'The version must be `ready`. To go back, choose a version that was replaced in the last days.',
      added: true,
      reply: Collection,
      fails: ['permission_denied', 'index_version_not_found', 'index_version_not_ready'],
    },
    async ({ tx, principal, params: { collection_id, version } }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      await lockCollection(tx, caller, collection_id, 'manage')
      const days = deps.kernel.settings['retrieval.rollback_days']
      await switchIndex(tx, days, caller.tenant_id, collection_id, Number(version))
      return await requireCollection(tx, caller, collection_id, 'manage')
    },
  ),
})
