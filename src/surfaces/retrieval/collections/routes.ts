/** Routes of collections. */
import { begins, etag, reply, routesOf, sql, type Principal, type Reader } from '#dodeca/kernel'
import { Type } from 'typebox'
import { PutAcl } from '../access/acl-entries.ts'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { createCollection } from './create-collection.ts'
import { deleteCollection } from './delete-collection.ts'
import { requireCollection, seenBy } from './find-collection.ts'
import { putCollectionAcl } from './put-acl.ts'
import { AccessList, Collection, CreateCollection } from './schemas.ts'

const path = '/v1/collections'
const one = `${path}/{collection_id}` as const

const Profile = Type.Object(
  {
    id: Type.String(),
    dimensions: Type.Integer(),
    semantic: Type.Boolean(),
    languages: Type.Union([Type.Array(Type.String(), { maxItems: 100 }), Type.Null()]),
  },
  { title: 'EmbeddingProfile' },
)

const { open, get, list, create, put, del } = routesOf<Deps>({
  absent: 'collection_not_found',
  permission: 'retrieval.collections.use',
  added: true,
})

export const collectionRoutes = open({
  createCollection: create(
    path,
    'Create a collection',
    {
      description: 'You may manage the collection. Without `default_acl`, only you can see it.',
      permission: 'retrieval.collections.create',
      body: CreateCollection,
      instead: { acl: 'default_acl', visibility: 'default_acl' },
      reply: Collection,
      fails: [
        'permission_denied',
        'validation_failed',
        'collection_name_taken',
        'unknown_embedding_profile',
        'quota_exceeded',
      ],
      added: false,
    },
    async ({ tx, principal, body }, deps) => {
      const id = await createCollection(tx, deps, principal, body)
      return await find(tx, deps, principal, id)
    },
  ),

  listCollections: list(path, 'List the collections that you may read', {
    tool: 'read',
    fails: ['permission_denied'],
    from: 'retrieval.collections',
    row: Collection,
    where: sql`t.state = 'active'`,
    within: async ({ tx, principal }, deps) => seenBy(await callerOf(tx, deps, principal), 'read'),
    oldest_first: true,
    time: 'id',
    find: [begins('name')],
  }),

  getCollection: get(
    one,
    'A collection',
    { sends: ['etag'], reply: Collection, fails: ['permission_denied'] },
    async ({ tx, principal, params: { collection_id } }, deps) => {
      const found = await find(tx, deps, principal, collection_id)
      return reply(200, found, { etag: etag(found.access_policy_version) })
    },
  ),

  putCollectionAcl: put(
    `${one}/acl`,
    'Replace the access list of a collection',
    {
      description:
        'The new list applies from this reply on, also to open streams of answers. It applies to every document that has no access list of its own.',
      body: PutAcl,
      tool: 'never',
      reply: AccessList,
      fails: ['permission_denied', 'validation_failed', 'precondition_failed'],
    },
    async ({ tx, principal, params: { collection_id }, body, if_match }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      return await putCollectionAcl(tx, caller, collection_id, body.acl, if_match)
    },
  ),

  deleteCollection: del(
    one,
    'Delete a collection and everything in it',
    { replies: { 204: null }, fails: ['permission_denied'] },
    async ({ tx, principal, params: { collection_id } }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      const job_id = await deleteCollection(tx, deps, caller, principal, collection_id)
      const link = job_id ? { link: `</v1/ingestion-jobs/${job_id}>; rel="monitor"` } : {}
      return reply(204, null, link)
    },
  ),

  listEmbeddingProfiles: get(
    '/v1/embedding-profiles',
    'List the models that can make vectors from chunks',
    {
      reply: Type.Object(
        { data: Type.Array(Profile, { maxItems: 100 }) },
        { title: 'EmbeddingProfiles' },
      ),
      fails: ['permission_denied'],
    },
    (_context, { profiles }) => {
      const data = profiles.all.map(({ id, dimensions, semantic, languages }) => ({
        id,
        dimensions,
        semantic,
        languages: languages && [...languages],
      }))
      return { data }
    },
  ),
})

async function find(reader: Reader, deps: Deps, principal: Principal, id: string) {
  return await requireCollection(reader, await callerOf(reader, deps, principal), id, 'read')
}
