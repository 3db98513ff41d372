/** The consumers of retrieval: they handle new and deleted files, and deleted accounts. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { sql } from '../../kernel/database/sql.ts'
import { Problem } from '../../kernel/errors/problem.ts'
import { Id, nullable } from '../../kernel/http/shapes.ts'
import type { Consumer } from '../../kernel/surface.ts'
import { AclEntry } from './access/acl-entries.ts'
import type { Deps } from './deps.ts'
import { addDocument } from './documents/add-document.ts'
import { dropDocument } from './documents/delete-document.ts'

const File = Type.Object({ file_id: Id })
const Connected = Type.Object({
  id: Type.String(),
  collection_id: Type.String(),
  created_by: Type.String(),
  acl: nullable(Type.Array(AclEntry)),
})
const Made = Type.Object({
  id: Type.String(),
  collection_id: Type.String(),
  version: Type.Integer(),
  created_by: Type.String(),
})

export function consumers(deps: Deps): readonly Consumer[] {
  return [arrivals(deps), departures(deps)]
}

/**
 * If the owner of a new file has an uploads connector, the file becomes a document of its
 * collection.
 */
function arrivals(deps: Deps): Consumer {
  return {
    name: 'retrieval.new_files',
    events: ['file.available'],
    run: async (tx, { tenant_id, payload }) => {
      if (!Value.Check(File, payload)) throw new Error('not an event of a file')
      const { file_id } = payload
      const connectors = await tx.many(
        Connected,
        sql`
          select id, collection_id, created_by, acl from retrieval.connectors
          where tenant_id = ${tenant_id} and kind = 'uploads' and state = 'active' order by id`,
      )
      for (const { id: connector_id, collection_id, created_by, acl } of connectors) {
        const owner = { id: created_by, tenant_id }
        const file = await deps.files
          .requireAvailable(tx, owner, file_id, ['document_ingest'])
          .catch((error: unknown) => {
            if (error instanceof Problem && error.status === 404) return undefined
            throw error
          })
        if (!file) continue
        await addDocument(tx, deps, tenant_id, null, {
          collection_id,
          created_by,
          source_kind: 'connector',
          connector_id,
          file_id,
          source_uri: `file:${file_id}`,
          source_version: null,
          content_type: file.detected_type,
          checksum: file.sha256,
          title: file.filename?.slice(0, 300) ?? null,
          metadata: {},
          acl,
        })
      }
    },
  }
}

/** When a file is deleted or found harmful, the documents made from it are deleted. */
function departures(deps: Deps): Consumer {
  return {
    name: 'retrieval.lost_files',
    events: ['file.quarantined', 'file.deleted'],
    run: async (tx, { tenant_id, payload }) => {
      if (!Value.Check(File, payload)) throw new Error('not an event of a file')
      const rows = await tx.many(
        Made,
        sql`
          select id, collection_id, version, created_by from retrieval.documents
          where tenant_id = ${tenant_id} and file_id = ${payload.file_id}
            and deleted_at is null
          order by id for update`,
      )
      for (const { created_by: submitter_id, ...row } of rows) {
        await dropDocument(tx, deps, { tenant_id, ...row, submitter_id })
      }
    },
  }
}
