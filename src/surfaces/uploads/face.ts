/** What other surfaces ask of files. Functions that write take the caller's `tx` first. */
import type { Readable } from 'node:stream'
import type { Principal } from '../../kernel/access/principal.ts'
import type { Reader, Tx } from '../../kernel/database/db.ts'
import type { ByteRange, Place } from '../../kernel/objects/objects.ts'
import type { MayRead } from './deps.ts'
import type { Disposition, FileUrl, Variant } from './files/file-urls.ts'
import type { Purpose } from './purposes.ts'
import type { BlockedHash } from './scanning/blocked-hashes.ts'
import type { CreateUpload, NewUpload } from './schemas.ts'
import type { Reconciled } from './storage/reconcile.ts'

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
  /** Outside any transaction; what it returns is for `createUpload` with the same order. */
  prepareUpload(caller: Caller, order: CreateUpload): Promise<Place>
  createUpload(tx: Tx, caller: Caller, order: CreateUpload, prepared: Place): Promise<NewUpload>
  /** For surfaces that have authorized the reading themselves. */
  signDownload(
    file_id: string,
    variant: Variant,
    disposition: Disposition,
    expires_in_seconds: number,
  ): FileUrl
  /** The bytes of an available file of the tenant; undefined where there is none. */
  read(key: FileKey, range?: ByteRange): Promise<{ size: number; body: Readable } | undefined>
  /** Deletes a file, as its owner would. */
  remove(tx: Tx, key: FileKey): Promise<void>
  /** For jobs: an own file, or any of the tenant with the permission, that may be an input. */
  isAvailable(reader: Reader, reading: InputReader, file_id: string): Promise<boolean>
  /** For workers outside; undefined where the file is not available to the owner of the job any more. */
  inputUrl(reader: Reader, reading: InputReader, file_id: string): Promise<string | undefined>
  readonly operator: Operator
}

/** For the command line only. */
export type Operator = {
  /** Compares store and rows; without `remove` it only counts. */
  reconcile(asked: { readonly remove: boolean; readonly signal: AbortSignal }): Promise<Reconciled>
  /** Returns how many available files are inspected again. */
  blockHash(
    sha256: Buffer,
    by: { readonly actor: string; readonly reason: string },
  ): Promise<number>
  /** False where it is not blocked. */
  unblockHash(sha256: Buffer, actor: string): Promise<boolean>
  blockedHashes(): Promise<readonly BlockedHash[]>
}

/** Who ordered a job; null where a surface did, which has no files. */
export type InputReader = { readonly tenant_id: string; readonly principal_id: string | null }
