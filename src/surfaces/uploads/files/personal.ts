/**
 * A person's files, in every tenant: their export, and their erasure with the account. Open uploads
 * are aborted. Files of all purposes except product images lose their names immediately, and their
 * bytes without the usual delay.
 */
import { Type } from 'typebox'
import { Id, personalRows, sql, type Personal, type PersonalAccount, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { endUpload } from '../uploads/abort-upload.ts'
import { deleteFile } from './delete-file.ts'
import { derivativesOf, fileColumns, FileRow, fileView } from './file-row.ts'

const portion = 100
const Owned = Type.Object({ tenant_id: Id, id: Id })

export function personal(deps: Pick<Deps, 'kernel' | 'purposes'>): Personal {
  const rows = personalRows(deps.kernel.db, [
    {
      // Uploads that have become no file: open ones, and what is left of others.
      kind: 'upload',
      table: 'uploads.uploads',
      owner: ({ principal_ids }) => sql`
        t.owner_id = any(${principal_ids}::uuid[])
        and (t.state = 'initiated' or t.filename is not null)`,
      where: sql`not exists (select from uploads.files f
        where f.tenant_id = t.tenant_id and f.upload_id = t.id)`,
      view: [
        'id',
        'tenant_id',
        'purpose',
        'filename',
        'claimed_type',
        'expected_size',
        'state',
        'created_at',
        'expires_at',
      ],
      erase: (tx, account) => eraseUploads(tx, deps, account),
    },
    (tx, account) => eraseFiles(tx, deps, account),
  ])
  return {
    ...rows,
    export: async function* (account, signal) {
      yield* exportFiles(deps, account)
      yield* rows.export(account, signal)
    },
  }
}

async function* exportFiles(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  { principal_ids }: PersonalAccount,
) {
  let after: string | null = null
  for (;;) {
    const files: FileRow[] = await db.many(
      FileRow,
      sql`
        -- any tenant: the files of one person
        select ${fileColumns} from uploads.files f
        where f.owner_id = any(${principal_ids}::uuid[]) and f.state <> 'purged'
          and (${after}::uuid is null or f.id > ${after}::uuid)
        order by f.id limit ${portion}`,
    )
    for (const [tenant_id, own] of Map.groupBy(files, file => file.tenant_id)) {
      const ids = own.map(file => file.id)
      const derivatives = await derivativesOf(db, tenant_id, ids)
      for (const file of own) {
        yield { kind: 'file', data: fileView(file, derivatives, { findings: false }) }
      }
    }
    after = files.at(-1)?.id ?? null
    if (files.length < portion) return
  }
}

function erasedPurposes({ purposes }: Pick<Deps, 'purposes'>): string[] {
  return [...purposes].flatMap(([name, rules]) => (rules.erased ? [name] : []))
}

/**
 * An upload that is being verified soon becomes a file. The erasure is retried until there is no
 * such upload.
 */
async function eraseUploads(
  tx: Tx,
  deps: Pick<Deps, 'purposes'>,
  { principal_ids }: PersonalAccount,
): Promise<number> {
  const found = await tx.many(
    Type.Object({ ...Owned.properties, open: Type.Boolean(), verifying: Type.Boolean() }),
    sql`
      -- any tenant: the uploads of one person
      update uploads.uploads set filename = null
      where (tenant_id, id) in (select tenant_id, id from uploads.uploads
        where owner_id = any(${principal_ids}::uuid[])
          and purpose = any(${erasedPurposes(deps)}::text[])
          and (state = 'initiated' or filename is not null)
        limit ${portion})
      returning tenant_id, id, state = 'initiated' as open, due_at is not null as verifying`,
  )
  if (found.some(upload => upload.verifying)) throw new Error('an upload is being verified')
  for (const upload of found) if (upload.open) await endUpload(tx, upload)
  return found.length
}

async function eraseFiles(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'purposes'>,
  { principal_ids }: PersonalAccount,
): Promise<number> {
  const files = await tx.many(
    Owned,
    sql`
      -- any tenant: the files of one person
      with held as materialized (
        select tenant_id, id from uploads.files
        where owner_id = any(${principal_ids}::uuid[])
          and purpose = any(${erasedPurposes(deps)}::text[])
          and (state not in ('deleted', 'purged') or filename is not null
            or metadata is not null or retention_until > kernel.now())
        order by id limit ${portion} for no key update
      )
      update uploads.files f
      set filename = null, metadata = null,
        retention_until = case when f.state in ('deleted', 'quarantined') then kernel.now()
          else f.retention_until end
      from held where f.tenant_id = held.tenant_id and f.id = held.id
      returning f.tenant_id, f.id`,
  )
  for (const file of files) await deleteFile(tx, deps.kernel, file, { at_once: true })
  return files.length
}
