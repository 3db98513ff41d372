/** Routes of documents. */
import { etag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { oneOf, pageQuery } from '../../../kernel/http/shapes.ts'
import { Type } from 'typebox'
import { PutAcl } from '../access/acl-entries.ts'
import { callerOf } from '../access/principals.ts'
import { requireRight } from '../collections/find-collection.ts'
import { AccessList } from '../collections/schemas.ts'
import type { Deps } from '../deps.ts'
import { addDocument } from './add-document.ts'
import { deleteDocument } from './delete-document.ts'
import { listDocuments, requireDocument } from './find-document.ts'
import { ChunkPage, listChunks } from './list-chunks.ts'
import { putDocumentAcl } from './put-acl.ts'
import { AddDocument, Document, DocumentPage, document_states, QueuedDocument } from './schemas.ts'
import { inspectSource, sourceOf } from './source.ts'

const path = '/v1/documents/{document_id}'
const of_collection = '/v1/collections/{collection_id}/documents'
const absent = 'document_not_found'
const permission = 'retrieval.collections.use'

export function documentRoutes(deps: Deps): readonly Route[] {
  return [
    addRoute(deps),
    listRoute(deps),
    getRoute(deps),
    chunksRoute(deps),
    aclRoute(deps),
    deleteRoute(deps),
  ]
}

function addRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: of_collection,
    name: 'addDocument',
    summary: 'Add a document, or a new version of one',
    description:
      'Send `text`, or `file_id`, or only `source_uri` to let the platform fetch the document. If a document with the same `source_uri` exists, the request adds a new version; searches find the version before until the new one is ready. `Location` is the job.',
    sends: ['location'],
    permission,
    absent: 'collection_not_found',
    body: AddDocument,
    refuses: { access: 'acl', visibility: 'acl', expires_at: null },
    body_limit_bytes: 5 * 1024 * 1024,
    replies: { 202: QueuedDocument },
    fails: [
      'collection_not_found',
      absent,
      'permission_denied',
      'validation_failed',
      'file_not_available',
      'document_too_large',
      'unsupported_document_type',
      'destination_blocked',
      'too_many_access_lists',
      'quota_exceeded',
      'conflict',
    ],
    prepare: ({ body }) => inspectSource(deps, body),
    handle: async ({ tx, principal, params: { collection_id }, body }) => {
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'write')
      const source = await sourceOf(tx, deps, principal, body)
      const given = { collection_id, created_by: principal.id, ...source }
      const added = await addDocument(tx, deps, principal.tenant_id, caller, given)
      const { job_id, document_id, version } = added
      const status_url = `/v1/ingestion-jobs/${job_id}`
      const queued = {
        id: job_id,
        job_id,
        document_id,
        document_version: version,
        state: 'pending' as const,
        status: 'queued' as const,
        status_url,
      }
      return reply(202, queued, { location: status_url })
    },
  })
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: of_collection,
    name: 'listDocuments',
    summary: 'List the documents of a collection that you may read',
    permission,
    added: true,
    absent: 'collection_not_found',
    query: pageQuery({ state: Type.Optional(oneOf(...document_states)) }),
    replies: { 200: DocumentPage },
    fails: ['collection_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { collection_id }, query, list }) => {
      const caller = await callerOf(tx, deps, principal)
      await requireRight(tx, caller, collection_id, 'read')
      const { body, headers } = await listDocuments(tx, list, caller, collection_id, query.state)
      return reply(200, body, headers)
    },
  })
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path,
    name: 'getDocument',
    summary: 'A document',
    sends: ['etag'],
    permission,
    added: true,
    absent,
    replies: { 200: Document },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { document_id } }) => {
      const found = await requireDocument(tx, await callerOf(tx, deps, principal), document_id)
      return reply(200, found, { etag: etag(found.acl_version) })
    },
  })
}

function chunksRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: `${path}/chunks`,
    name: 'listDocumentChunks',
    summary: 'The text of a document, chunk by chunk',
    description:
      'In the version that is served now. A citation names its chunk, and `quoted_range` is a range of the text of that chunk. `range` is its place in the document, in code points; neighbours may overlap.',
    permission,
    added: true,
    absent,
    query: pageQuery({}),
    replies: { 200: ChunkPage },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { document_id }, list }) => {
      const caller = await callerOf(tx, deps, principal)
      await requireDocument(tx, caller, document_id)
      const { body, headers } = await listChunks(tx, list, caller, document_id)
      return reply(200, body, headers)
    },
  })
}

function aclRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: `${path}/acl`,
    name: 'putDocumentAcl',
    summary: 'Replace the access list of a document',
    description:
      'The new list applies from this reply on, also to open streams: a reader who is no longer on the list receives nothing more of the document. New readers find the document within seconds. With an empty list, the list of the collection applies.',
    sends: ['etag'],
    permission,
    added: true,
    absent,
    body: PutAcl,
    replies: { 200: AccessList },
    fails: [
      absent,
      'permission_denied',
      'validation_failed',
      'precondition_failed',
      'too_many_access_lists',
    ],
    handle: async ({ tx, principal, params: { document_id }, body, request }) => {
      const caller = await callerOf(tx, deps, principal)
      const if_match = request.headers['if-match']
      const put = await putDocumentAcl(tx, caller, document_id, body.acl, if_match)
      return reply(200, put, { etag: etag(put.version) })
    },
  })
}

function deleteRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path,
    name: 'deleteDocument',
    summary: 'Delete a document and all data made from it',
    description:
      'After this reply, no search finds it and no answer quotes it. `Link` is the job that erases text, vectors and index rows; the `result` of the job is the receipt.',
    permission,
    absent,
    replies: { 204: null },
    fails: [absent, 'permission_denied'],
    handle: async ({ tx, principal, params: { document_id } }) => {
      const caller = await callerOf(tx, deps, principal)
      const job_id = await deleteDocument(tx, deps, caller, principal.id, document_id)
      const link = job_id ? { link: `</v1/ingestion-jobs/${job_id}>; rel="monitor"` } : {}
      return reply(204, null, link)
    },
  })
}
