/** The consumers of retrieval: they handle new and deleted files, and deleted accounts. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, nullable, Problem, sql, type Consumer, type Tx } from '#dodeca/kernel'
import { AclEntry } from './access/acl-entries.ts'
import { ownerManages, skippedBy, stopConnector } from './connectors/owner.ts'
import type { Deps } from './deps.ts'
import { addDocument } from './documents/add-document.ts'
import { dropIfLost } from './documents/drop-if-lost.ts'

const File = Type.Object({ file_id: Id })
const Connected = Type.Object({
  id: Type.String(),
  collection_id: Type.String(),
  created_by: Type.String(),
  session_id: nullable(Type.String()),
  acl: nullable(Type.Array(AclEntry)),
})
const Made = Type.Object({ id: Type.String() })

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
          select id, collection_id, created_by, session_id, acl from retrieval.connectors
          where tenant_id = ${tenant_id} and kind = 'uploads' and state = 'active' order by id`,
      )
      for (const connector of connectors) {
        const { id: connector_id, collection_id, created_by, acl } = connector
        const file = await ownFile(tx, deps, { id: created_by, tenant_id }, file_id)
        if (!file) continue
        if (!(await ownerManages(tx, deps, tenant_id, connector))) {
          await stopConnector(tx, tenant_id, connector, 'error', 'owner_lost_access')
          continue
        }
        const given = {
          collection_id,
          created_by,
          source_kind: 'connector' as const,
          connector_id,
          file_id,
          source_uri: `file:${file_id}`,
          source_version: null,
          content_type: file.detected_type,
          checksum: file.sha256,
          title: file.filename?.slice(0, 300) ?? null,
          metadata: {},
          acl,
        }
        try {
          await addDocument(tx, deps, tenant_id, null, given)
        } catch (error) {
          const code = skippedBy(error)
          deps.kernel.log.warn({ connector_id, file_id, code }, 'a file was not added')
        }
      }
    },
  }
}

/** Undefined if the file is not the owner's, or is not available any more. */
async function ownFile(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  owner: { readonly id: string; readonly tenant_id: string },
  file_id: string,
) {
  try {
    return await files.requireAvailable(tx, owner, file_id, ['document_ingest'])
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  }
}

/**
 * When a file is deleted or found harmful, the documents made from it are deleted: also one that
 * is still served from it because a newer version, with another source, failed. A version that is
 * being made replaces it soon; if it fails, the document is deleted then.
 */
function departures(deps: Deps): Consumer {
  return {
    name: 'retrieval.lost_files',
    events: ['file.quarantined', 'file.deleted'],
    run: async (tx, { tenant_id, payload }) => {
      if (!Value.Check(File, payload)) throw new Error('not an event of a file')
      const { file_id } = payload
      const made = await tx.many(
        Made,
        sql`
          select d.id from retrieval.documents d
          where d.tenant_id = ${tenant_id} and d.deleted_at is null and (d.file_id = ${file_id}
            or d.id in (select v.document_id from retrieval.document_versions v
              where v.tenant_id = ${tenant_id} and v.file_id = ${file_id}))
          order by d.id for no key update`,
      )
      await tx.run(sql`
        update retrieval.document_versions set source_lost = true
        where tenant_id = ${tenant_id} and file_id = ${file_id}`)
      for (const one of made) await dropIfLost(tx, deps, { tenant_id, ...one }, file_id)
    },
  }
}
