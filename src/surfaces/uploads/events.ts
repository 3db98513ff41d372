/** The events of uploads. */
import { Type } from 'typebox'
import { Id, nullable, type Tx } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 200 })
const Size = Type.Integer({ minimum: 0 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})

export const events = {
  'upload.completed': declared({
    upload_id: Id,
    file_id: Id,
    purpose: Short,
    size: Size,
    checksum: Short,
  }),
  'upload.rejected': declared({ upload_id: Id, error_code: Short }),
  'upload.aborted': declared({ upload_id: Id }),
  'upload.expired': declared({ upload_id: Id }),
  'file.available': declared({
    file_id: Id,
    upload_id: Id,
    purpose: Short,
    detected_type: nullable(Short),
    size: Size,
    derivatives: Type.Array(Short, { maxItems: 10 }),
  }),
  'file.quarantined': declared({ file_id: Id, upload_id: Id, purpose: Short, error_code: Short }),
  'file.deleted': declared({ file_id: Id, purpose: Short }),
  'file.purged': declared({ file_id: Id, purpose: Short }),
} as const

export type UploadEvent = Extract<keyof typeof events, `upload.${string}`>
export type FileEvent = Extract<keyof typeof events, `file.${string}`>

type Row = { readonly tenant_id: string; readonly id: string; readonly version: number }

export function announceUpload(
  tx: Pick<Tx, 'emit'>,
  type: UploadEvent,
  { tenant_id, id, version }: Row,
  more: object = {},
): void {
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'upload',
    aggregate_id: id,
    aggregate_version: version,
    data: { upload_id: id, ...more },
  })
}

export function announceFile(
  tx: Pick<Tx, 'emit'>,
  type: FileEvent,
  { tenant_id, id, version, purpose }: Row & { readonly purpose: string },
  more: object = {},
): void {
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'file',
    aggregate_id: id,
    aggregate_version: version,
    data: { file_id: id, purpose, ...more },
  })
}
