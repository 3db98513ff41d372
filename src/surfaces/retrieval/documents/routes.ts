/** Routes of documents. */
import { etag, looked, oneOf, reply, routesOf, sql } from '#dodeca/kernel'
import { PutAcl } from '../access/acl-entries.ts'
import { callerOf } from '../access/principals.ts'
import { requireRight } from '../collections/find-collection.ts'
import { AccessList } from '../collections/schemas.ts'
import type { Deps } from '../deps.ts'
import { addDocument } from './add-document.ts'
import { deleteDocument } from './delete-document.ts'
import { checksumOf, readableDocuments, requireDocument } from './find-document.ts'
import { listChunks, Chunk } from './list-chunks.ts'
import { putDocumentAcl } from './put-acl.ts'
import { AddDocument, Document, document_states, QueuedDocument } from './schemas.ts'
import { inspectSource, sourceOf } from './source.ts'

const path = '/v1/documents/{document_id}'
const of_collection = '/v1/collections/{collection_id}/documents'
const absent = 'document_not_found'

const { open, get, list, post, put, del } = routesOf<Deps>({
  absent,
  permission: 'retrieval.collections.use',
})

export const documentRoutes = open({
  addDocument: post(
    of_collection,
    'Add a document, or a new version of one',
    {
      sends: ['location'],
      description:
        'Send `text`, or `file_id`, or only `source_uri` to let the platform fetch the document. If a document with the same `source_uri` exists, the request adds a new version; searches find the version before until the new one is ready. `Location` is the job.',
      absent: 'collection_not_found',
      body: AddDocument,
      instead: { access: 'acl', visibility: 'acl' },
      body_limit_bytes: 5 * 1024 * 1024,
      replies: { 202: QueuedDocument },
      fails: [
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
    },
    {
      prepare: ({ body }, deps) => inspectSource(deps, body),
      handle: async ({ tx, principal, params: { collection_id }, body }, deps) => {
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
    },
  ),

  listDocuments: list(of_collection, 'List the documents of a collection that you may read', {
    tool: 'read',
    added: true,
    absent: 'collection_not_found',
    from: 'retrieval.documents',
    row: Document,
    columns: { checksum: checksumOf('t') },
    where: sql`t.deleted_at is null`,
    within: readableDocuments,
    time: 'id',
    oldest_first: true,
    filters: { state: looked(oneOf(...document_states)) },
    find: [],
    fails: ['permission_denied'],
  }),

  getDocument: get(
    path,
    'A document',
    { tool: 'read', sends: ['etag'], added: true, reply: Document, fails: ['permission_denied'] },
    async ({ tx, principal, params: { document_id } }, deps) => {
      const found = await requireDocument(tx, await callerOf(tx, deps, principal), document_id)
      return reply(200, found, { etag: etag(found.acl_version) })
    },
  ),

  listDocumentChunks: list(
    `${path}/chunks`,
    'The text of a document, chunk by chunk',
    {
      description:
        'In the version that is served now. A citation names its chunk, and `quoted_range` is a range of the text of that chunk. `range` is its place in the document, in code points; neighbours may overlap.',
      added: true,
      item: Chunk,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { document_id }, list }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      await requireDocument(tx, caller, document_id)
      return listChunks(tx, list, caller, document_id)
    },
  ),

  putDocumentAcl: put(
    `${path}/acl`,
    'Replace the access list of a document',
    {
      description:
        'The new list applies from this reply on, also to open streams: a reader who is no longer on the list receives nothing more of the document. New readers find the document within seconds. With an empty list, the list of the collection applies.',
      added: true,
      body: PutAcl,
      tool: 'never',
      reply: AccessList,
      fails: [
        'permission_denied',
        'validation_failed',
        'precondition_failed',
        'too_many_access_lists',
      ],
    },
    async ({ tx, principal, params: { document_id }, body, if_match }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      return await putDocumentAcl(tx, caller, document_id, body.acl, if_match)
    },
  ),

  deleteDocument: del(
    path,
    'Delete a document and all data made from it',
    {
      description:
        'After this reply, no search finds it and no answer quotes it. `Link` is the job that erases text, vectors and index rows; the `result` of the job is the receipt.',
      replies: { 204: null },
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { document_id } }, deps) => {
      const caller = await callerOf(tx, deps, principal)
      const job_id = await deleteDocument(tx, deps, caller, principal.id, document_id)
      const link = job_id ? { link: `</v1/ingestion-jobs/${job_id}>; rel="monitor"` } : {}
      return reply(204, null, link)
    },
  ),
})
