/** Routes of collections. */
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { etag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { pageQuery } from '../../../kernel/http/shapes.ts'
import { Type } from 'typebox'
import { PutAcl } from '../access/acl-entries.ts'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { createCollection } from './create-collection.ts'
import { deleteCollection } from './delete-collection.ts'
import { listCollections, requireCollection } from './find-collection.ts'
import { putCollectionAcl } from './put-acl.ts'
import { AccessList, Collection, CollectionPage, CreateCollection } from './schemas.ts'

const path = '/v1/collections'
const one = `${path}/{collection_id}` as const
const absent = 'collection_not_found'
const uses = { permission: 'retrieval.collections.use', absent } as const

export function collectionRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    listRoute(deps),
    getRoute(deps),
    aclRoute(deps),
    deleteRoute(deps),
    profilesRoute(deps),
  ]
}

function createRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'createCollection',
    summary: 'Create a collection',
    description: 'You may manage the collection. Without `default_acl`, only you can see it.',
    sends: ['location'],
    permission: 'retrieval.collections.create',
    body: CreateCollection,
    refuses: { acl: 'default_acl', visibility: 'default_acl' },
    replies: { 201: Collection },
    fails: [
      'permission_denied',
      'validation_failed',
      'collection_name_taken',
      'unknown_embedding_profile',
      'quota_exceeded',
    ],
    handle: async ({ tx, principal, body }) => {
      const id = await createCollection(tx, deps, principal, body)
      const made = await find(tx, deps, principal, id)
      return reply(201, made, { location: `${path}/${id}` })
    },
  })
}

async function find(reader: Reader, deps: Deps, principal: Principal, id: string) {
  return await requireCollection(reader, await callerOf(reader, deps, principal), id, 'read')
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'listCollections',
    summary: 'List the collections that you may read',
    permission: uses.permission,
    added: true,
    query: pageQuery({}),
    replies: { 200: CollectionPage },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, list }) => {
      const caller = await callerOf(tx, deps, principal)
      const { body, headers } = await listCollections(tx, list, caller)
      return reply(200, body, headers)
    },
  })
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getCollection',
    summary: 'A collection',
    sends: ['etag'],
    ...uses,
    added: true,
    replies: { 200: Collection },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { collection_id } }) => {
      const found = await find(tx, deps, principal, collection_id)
      return reply(200, found, { etag: etag(found.access_policy_version) })
    },
  })
}

function aclRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: `${one}/acl`,
    name: 'putCollectionAcl',
    summary: 'Replace the access list of a collection',
    description:
      'The new list applies from this reply on, also to open streams of answers. It applies to every document that has no access list of its own.',
    sends: ['etag'],
    ...uses,
    added: true,
    body: PutAcl,
    replies: { 200: AccessList },
    fails: [absent, 'permission_denied', 'validation_failed', 'precondition_failed'],
    handle: async ({ tx, principal, params: { collection_id }, body, request }) => {
      const caller = await callerOf(tx, deps, principal)
      const if_match = request.headers['if-match']
      const put = await putCollectionAcl(tx, caller, collection_id, body.acl, if_match)
      return reply(200, put, { etag: etag(put.version) })
    },
  })
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: one,
    name: 'deleteCollection',
    summary: 'Delete a collection and everything in it',
    ...uses,
    added: true,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { collection_id } }) => {
      const caller = await callerOf(tx, deps, principal)
      const job_id = await deleteCollection(tx, deps, caller, principal, collection_id)
      const link = job_id ? { link: `</v1/ingestion-jobs/${job_id}>; rel="monitor"` } : {}
      return reply(204, null, link)
    },
  })
}

const Profile = Type.Object(
  {
    id: Type.String(),
    dimensions: Type.Integer(),
    semantic: Type.Boolean(),
    languages: Type.Union([Type.Array(Type.String(), { maxItems: 100 }), Type.Null()]),
  },
  { title: 'EmbeddingProfile' },
)

function profilesRoute({ profiles }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/embedding-profiles',
    name: 'listEmbeddingProfiles',
    summary: 'List the models that can make vectors from chunks',
    permission: uses.permission,
    added: true,
    replies: {
      200: Type.Object(
        { data: Type.Array(Profile, { maxItems: 100 }) },
        { title: 'EmbeddingProfiles' },
      ),
    },
    fails: ['permission_denied'],
    handle: () => {
      const data = profiles.all.map(({ id, dimensions, semantic, languages }) => ({
        id,
        dimensions,
        semantic,
        languages: languages && [...languages],
      }))
      return reply(200, { data })
    },
  })
}
