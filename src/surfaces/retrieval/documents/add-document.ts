/**
 * Accepts a document, or a new version of the document with the same `source_uri`, and submits the
 * job that makes it searchable. Until that job activates the new version, the version before is
 * served.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { BeginAgain, newId, nullable, sql, type Tx } from '#dodeca/kernel'
import { merged, type AclEntry } from '../access/acl-entries.ts'
import { writeDocumentAcl } from '../access/acl-sets.ts'
import type { Caller } from '../access/principals.ts'
import { mayDocument } from '../access/rights.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import type { Metadata, source_kinds } from './schemas.ts'

/** The source of a document: exactly one of `text`, `file_id` and `fetch_uri`. */
export type NewDocument = {
  readonly collection_id: string
  readonly created_by: string
  readonly source_kind: (typeof source_kinds)[number]
  readonly text?: string
  readonly file_id?: string
  readonly fetch_uri?: string
  readonly source_uri: string | null
  readonly source_version: string | null
  readonly content_type: string | null
  readonly checksum: Buffer | null
  readonly title: string | null
  readonly metadata: Metadata
  readonly acl: readonly AclEntry[] | null
  readonly connector_id?: string
}

export type Added = {
  readonly job_id: string
  readonly document_id: string
  readonly version: number
}

const Known = Type.Object({
  id: Type.String(),
  latest_version: Type.Integer(),
  acl_version: Type.Integer(),
  may_write: Type.Boolean(),
  may_manage: Type.Boolean(),
})

/** `caller` is null for a connector, which may write only its own documents. */
export async function addDocument(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'jobs'>,
  tenant_id: string,
  caller: Caller | null,
  given: NewDocument,
): Promise<Added> {
  const { collection_id, created_by } = given
  await holdCollection(tx, tenant_id, collection_id)
  const known = await findBySource(tx, tenant_id, caller, given)
  if (known && !known.may_write) throw problem('document_not_found')
  const placed = known
    ? await nextVersion(tx, tenant_id, known, given)
    : await firstVersion(tx, deps, tenant_id, given)
  const { document_id, version } = placed
  await tx.run(sql`
    insert into retrieval.document_versions (tenant_id, document_id, version, input_text, file_id,
      fetch_uri, content_type, title, metadata, source_version, checksum, created_by)
    values (${tenant_id}, ${document_id}, ${version}, ${given.text ?? null},
      ${given.file_id ?? null}, ${given.fetch_uri ?? null}, ${given.content_type}, ${given.title},
      ${sql.json(given.metadata)}, ${given.source_version}, ${given.checksum}, ${created_by})`)
  const job_id = await submitJob(tx, deps, {
    tenant_id,
    kind: 'ingest',
    collection_id,
    document_id,
    document_version: version,
    submitter_id: created_by,
  })
  return { job_id, document_id, version }
}

const Held = Type.Object({ id: Type.String() })

/** Until the commit the collection is not deleted. Its purge would not see this document. */
async function holdCollection(tx: Tx, tenant_id: string, collection_id: string): Promise<void> {
  const held = await tx.maybe(
    Held,
    sql`
      select id from retrieval.collections
      where tenant_id = ${tenant_id} and id = ${collection_id} and state = 'active' for share`,
  )
  if (!held) throw problem('collection_not_found')
}

export function checksumOf(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest()
}

async function findBySource(
  tx: Tx,
  tenant_id: string,
  caller: Caller | null,
  { collection_id, source_uri, connector_id }: NewDocument,
) {
  if (source_uri === null) return undefined
  const own = sql`coalesce(d.connector_id = ${connector_id ?? null}::uuid, false)`
  return await tx.maybe(
    Known,
    sql`
      select d.id, d.latest_version, d.acl_version,
        ${caller ? mayDocument(caller, 'write') : own} as may_write,
        ${caller ? mayDocument(caller, 'manage') : own} as may_manage
      from retrieval.documents d
      where d.tenant_id = ${tenant_id} and d.collection_id = ${collection_id}
        and d.source_uri = ${source_uri} and d.deleted_at is null
      for update`,
  )
}

type Place = { readonly document_id: string; readonly version: number }

async function nextVersion(
  tx: Tx,
  tenant_id: string,
  known: Static<typeof Known>,
  given: NewDocument,
): Promise<Place> {
  const version = known.latest_version + 1
  await tx.run(sql`
    update retrieval.documents d set latest_version = ${version}, file_id = ${given.file_id ?? null},
      state = case when d.state = 'failed' then 'pending' else d.state end, error_code = null
    where d.tenant_id = ${tenant_id} and d.id = ${known.id}`)
  if (given.acl !== null && given.connector_id === undefined) {
    throw problem('validation_failed', {
      detail:
        'This document exists. Change its access list with `PUT /v1/documents/{document_id}/acl`.',
      errors: [{ location: 'body', pointer: '/acl', constraint: 'not_for_updates' }],
    })
  }
  return { document_id: known.id, version }
}

const Made = Type.Object({ id: nullable(Type.String()) })

async function firstVersion(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  given: NewDocument,
): Promise<Place> {
  const { collection_id } = given
  await kernel.counted(
    tx,
    `retrieval.documents:${collection_id}`,
    kernel.settings['retrieval.documents_per_collection'],
    sql`
      select from retrieval.documents
      where tenant_id = ${tenant_id} and collection_id = ${collection_id} and deleted_at is null`,
  )
  const document_id = newId()
  const acl = given.acl && merged(given.acl)
  const set = await writeDocumentAcl(tx, { tenant_id, collection_id }, document_id, acl, 1)
  const made = await tx.many(
    Made,
    sql`
      insert into retrieval.documents (tenant_id, id, collection_id, source_kind, source_uri,
        source_version, file_id, connector_id, metadata, title, acl_set_id, created_by)
      values (${tenant_id}, ${document_id}, ${collection_id}, ${given.source_kind},
        ${given.source_uri}, ${given.source_version}, ${given.file_id ?? null},
        ${given.connector_id ?? null}, ${sql.json(given.metadata)}, ${given.title}, ${set},
        ${given.created_by})
      on conflict do nothing
      returning id`,
  )
  // Another request added the same source meanwhile. Then this is its next version.
  if (made.length === 0) throw new BeginAgain()
  return { document_id, version: 1 }
}
