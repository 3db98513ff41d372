/** The face of uploads. */
import { Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import { Id } from '../../kernel/http/shapes.ts'
import type { Deps, MayRead } from './deps.ts'
import { problem } from './errors.ts'
import type { AvailableFile, Face, FileKey } from './face.ts'
import { deleteFile } from './files/delete-file.ts'
import { derivativesOf, findFile } from './files/file-row.ts'
import type { Purpose } from './purposes.ts'
import { createUpload, newUploadOf } from './uploads/create-upload.ts'

/** Purposes whose files a job may be given. */
const inputs: readonly Purpose[] = ['job_input', 'generic']
const input_url_seconds = 3600

export function openFace(deps: Deps, readers: Map<Purpose, MayRead>): Face {
  const { db, objects } = deps.kernel
  const available = async ({ tenant_id, file_id }: FileKey) => {
    const file = await findFile(db, tenant_id, file_id)
    return file?.state === 'available' ? file : undefined
  }
  return {
    plugReaders: (purpose, mayRead) => void readers.set(purpose, mayRead),
    requireAvailable: async (reader, { id, tenant_id }, file_id, purposes) => {
      const file = await findFile(reader, tenant_id, file_id)
      const fits = file?.owner_id === id && purposes.includes(file.purpose)
      if (!fits || file.state !== 'available') throw problem('file_not_found')
      const derivatives = await derivativesOf(reader, tenant_id, [file_id])
      const ready = derivatives.filter(one => one.state === 'ready').map(one => one.kind)
      const found: AvailableFile = { ...file, derivatives: ready }
      return found
    },
    createUpload: async (tx, caller, order) =>
      await newUploadOf(deps, await createUpload(tx, deps, caller, order)),
    signDownload: deps.addresses.sign,
    read: async (key, range) => {
      const file = await available(key)
      const found = file && (await objects.get(file.storage_key, range))
      return found && { size: found.size, body: found.body }
    },
    remove: async (tx, { tenant_id, file_id }) => {
      await deleteFile(tx, deps.kernel, { tenant_id, id: file_id })
    },
    isAvailable: async (reader, { tenant_id, principal_id }, file_id) => {
      const found = await reader.maybe(
        Type.Object({ id: Id }),
        sql`
          select id from uploads.files
          where tenant_id = ${tenant_id} and id = ${file_id} and state = 'available'
            and purpose = any(${inputs}::text[]) and owner_id = ${principal_id}`,
      )
      return found !== undefined
    },
    inputUrl: async key => {
      const file = await available(key)
      return file && deps.addresses.sign(file.id, 'original', 'attachment', input_url_seconds).url
    },
  }
}
