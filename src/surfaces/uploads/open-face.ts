/** The face of uploads. */
import { sql, StoreUnavailable, type Reader } from '#dodeca/kernel'
import type { Deps, MayRead, OnCompleted } from './deps.ts'
import { problem } from './errors.ts'
import type { AvailableFile, Inside, FileKey, InputReader } from './face.ts'
import { deleteFile } from './files/delete-file.ts'
import { derivativesOf, fileColumns, FileRow, findFile } from './files/file-row.ts'
import type { Purpose } from './purposes.ts'
import { blockedHashes, blockHash, unblockHash } from './scanning/blocked-hashes.ts'
import { reconcile } from './storage/reconcile.ts'
import { undelete } from './storage/undelete.ts'
import { createUpload, newUploadOf, prepareUpload } from './uploads/create-upload.ts'

/** Purposes whose files a job may have as input. */
const inputs: readonly Purpose[] = ['job_input', 'generic']
const input_url_seconds = 3600

type Plugged = {
  readonly readers: Map<Purpose, MayRead>
  readonly completed: Map<Purpose, OnCompleted>
}

export function openFace(deps: Deps, { readers, completed }: Plugged): Inside {
  const { db, objects } = deps.kernel
  const available = async ({ tenant_id, file_id }: FileKey) => {
    const file = await findFile(db, tenant_id, file_id)
    return file?.state === 'available' ? file : undefined
  }
  return {
    plugReaders: (purpose, mayRead) => void readers.set(purpose, mayRead),
    plugCompleted: (purpose, run) => void completed.set(purpose, run),
    requireAvailable,
    prepareUpload: (caller, order) => prepareUpload(deps, caller, order),
    createUpload: async (tx, caller, order, prepared) =>
      await newUploadOf(deps, await createUpload(tx, deps, caller, order, prepared)),
    signDownload: deps.fileUrls.sign,
    read: async (key, range) => {
      const file = await available(key)
      const found = file && (await objects.get(file.storage_key, range))
      if (file && !found) throw new StoreUnavailable('the object of a file is missing')
      return found && { size: found.size, body: found.body }
    },
    remove: async (tx, { tenant_id, file_id }) => {
      await deleteFile(tx, deps.kernel, { tenant_id, id: file_id })
    },
    isAvailable: (reader, reading, file_id) => isInput(reader, deps, reading, file_id),
    inputFile: async (reader, { tenant_id, owner_id }, file_id) => {
      const file = await findInput(reader, tenant_id, file_id)
      return file?.owner_id === owner_id ? file : undefined
    },
    inputUrl: async (reader, reading, file_id) => {
      if (!(await isInput(reader, deps, reading, file_id))) return undefined
      return deps.fileUrls.sign(file_id, 'original', 'attachment', input_url_seconds).url
    },
    operator: {
      reconcile: asked => reconcile(deps.kernel, deps.store, asked),
      undelete: () => undelete(deps.kernel),
      blockHash: (sha256, by) => blockHash(db, sha256, by),
      unblockHash: (sha256, actor) => unblockHash(db, sha256, actor),
      blockedHashes: () => blockedHashes(db),
    },
  }
}

/**
 * The lock makes a deletion or a quarantine of the file wait for the reference, so that its event
 * finds the reference. It locks only a file that is returned.
 */
const requireAvailable: Inside['requireAvailable'] = async (tx, owner, file_id, purposes) => {
  const { id: owner_id, tenant_id } = owner
  const file = await tx.maybe(
    FileRow,
    sql`
      select ${fileColumns} from uploads.files f
      where f.tenant_id = ${tenant_id} and f.id = ${file_id} and f.owner_id = ${owner_id}
        and f.purpose = any(${purposes}::text[]) and f.state = 'available'
      for share`,
  )
  if (!file) throw problem('file_not_found')
  const derivatives = await derivativesOf(tx, tenant_id, [file_id])
  const ready = derivatives.filter(one => one.state === 'ready').map(one => one.kind)
  const found: AvailableFile = { ...file, derivatives: ready }
  return found
}

async function isInput(
  reader: Reader,
  { rights }: Pick<Deps, 'rights'>,
  { tenant_id, principal_id, session_id }: InputReader,
  file_id: string,
): Promise<boolean> {
  const file = await findInput(reader, tenant_id, file_id)
  if (!file || principal_id === null) return false
  if (file.owner_id === principal_id) return true
  const [held] = await rights.grantsOf(reader, [{ tenant_id, principal_id, session_id }])
  return held?.has('uploads.files.download_any') ?? false
}

async function findInput(reader: Reader, tenant_id: string, file_id: string) {
  const file = await findFile(reader, tenant_id, file_id)
  return file?.state === 'available' && inputs.includes(file.purpose) ? file : undefined
}
