/** What other surfaces ask of files. Functions that write take the caller's `tx` first. */
import type { Readable } from 'node:stream'
import type { Principal } from '../../kernel/access/principal.ts'
import type { Reader, Tx } from '../../kernel/database/db.ts'
import type { ByteRange } from '../../kernel/objects/objects.ts'
import type { MayRead } from './deps.ts'
import type { Address, Disposition, Variant } from './files/addresses.ts'
import type { Purpose } from './purposes.ts'
import type { CreateUpload, NewUpload } from './schemas.ts'

export type { MayRead } from './deps.ts'
export type { Purpose } from './purposes.ts'

export type AvailableFile = {
  readonly id: string
  readonly owner_id: string
  readonly purpose: Purpose
  readonly size: number
  readonly sha256: Buffer
  readonly detected_type: string | null
  readonly filename: string | null
  readonly derivatives: readonly Variant[]
}

export type FileKey = { readonly tenant_id: string; readonly file_id: string }

export type Caller = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

export type Face = {
  /** Who else may read files of this purpose: asked of the surface behind it, once it is open. */
  plugReaders(purpose: Purpose, mayRead: MayRead): void
  /** The caller's own file of one of these purposes, if it is available; one refusal, without a hint. */
  requireAvailable(
    reader: Reader,
    principal: Pick<Principal, 'id' | 'tenant_id'>,
    file_id: string,
    purposes: readonly Purpose[],
  ): Promise<AvailableFile>
  createUpload(tx: Tx, caller: Caller, order: CreateUpload): Promise<NewUpload>
  /** For surfaces that have authorized the reading themselves. */
  signDownload(
    file_id: string,
    variant: Variant,
    disposition: Disposition,
    expires_in_seconds: number,
  ): Address
  /** The bytes of an available file of the tenant; undefined where there is none. */
  read(key: FileKey, range?: ByteRange): Promise<{ size: number; body: Readable } | undefined>
  /** Deletes a file, as its owner would. */
  remove(tx: Tx, key: FileKey): Promise<void>
  /** For jobs: an own file, or any of the tenant with the permission, that may be an input. */
  isAvailable(
    reader: Reader,
    principal: { readonly tenant_id: string; readonly principal_id: string | null },
    file_id: string,
  ): Promise<boolean>
  /** For workers outside; undefined where the file is not available any more. */
  inputUrl(key: FileKey): Promise<string | undefined>
}
