/**
 * Functions about files that other surfaces may call. Functions that write take the caller's `tx`
 * first. `Face` is for all surfaces and knows files of the purposes that the surface declares: any
 * other file is `file_not_found`. `Inside` is for the platform.
 */
import type { Readable } from 'node:stream'
import type { Static } from 'typebox'
import type { ByteRange, Place, Principal, Reader, Tx } from '#dodeca/kernel'
import type { MayRead, OnCompleted } from './deps.ts'
import type { Asked, DownloadUrl } from './files/download-url.ts'
import type { Disposition, FileUrl, Variant } from './files/file-urls.ts'
import type { Purpose } from './purposes.ts'
import type { BlockedHash } from './scanning/blocked-hashes.ts'
import type { CreateUpload, NewUpload } from './schemas.ts'
import type { Asked as Reconciling, Reconciled } from './storage/reconcile.ts'
import type { Undeleted } from './storage/undelete.ts'

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

type Common = {
  /**
   * Registers who else may read files of this purpose. The surface that uses the purpose calls it
   * when it is opened.
   */
  plugReaders(purpose: Purpose, mayRead: MayRead): void
  /** Registers what happens when an upload of this purpose is completed. */
  plugCompleted(purpose: Purpose, run: OnCompleted): void
  /**
   * Returns the caller's own file of one of these purposes, if it is available. In all other cases
   * the same error is thrown, so that it reveals no reason. Until the end of the transaction the file
   * is neither deleted nor quarantined. Ask for several files in the order of their ids.
   */
  requireAvailable(
    tx: Tx,
    principal: Pick<Principal, 'id' | 'tenant_id'>,
    file_id: string,
    purposes: readonly Purpose[],
  ): Promise<AvailableFile>
  /** Call it outside any transaction. Pass the result to `createUpload` with the same order. */
  prepareUpload(caller: Caller, order: CreateUpload): Promise<Place>
  createUpload(tx: Tx, caller: Caller, order: CreateUpload, prepared: Place): Promise<NewUpload>
  /**
   * The bytes of an available file of the tenant, or undefined if there is no such file. If the store
   * does not have its bytes, it throws `StoreUnavailable`. Call it outside any transaction.
   */
  read(key: FileKey, range?: ByteRange): Promise<{ size: number; body: Readable } | undefined>
  /** Deletes a file, like a request of its owner. */
  remove(tx: Tx, key: FileKey): Promise<void>
}

export type Face = Common & {
  /**
   * A URL under which the file is read without a token, for one whom the surface lets read it. If an
   * image has a sanitized form, that one is signed.
   */
  signDownload(reader: Reader, key: FileKey, asked?: Asked): Promise<Static<typeof DownloadUrl>>
}

export type Inside = Common & {
  /** For surfaces that have checked the permission to read themselves. */
  signDownload(
    file_id: string,
    variant: Variant,
    disposition: Disposition,
    expires_in_seconds: number,
  ): FileUrl
  /**
   * For jobs. Returns a file that may be an input: the caller's own, or any file of the tenant if
   * the caller has the permission.
   */
  isAvailable(reader: Reader, reading: InputReader, file_id: string): Promise<boolean>
  /** The owner's own file that may be an input, without a lock. Undefined in all other cases. */
  inputFile(
    reader: Reader,
    owner: { readonly tenant_id: string; readonly owner_id: string },
    file_id: string,
  ): Promise<Omit<AvailableFile, 'derivatives'> | undefined>
  /** For external workers. Undefined if the file is no longer available to the owner of the job. */
  inputUrl(reader: Reader, reading: InputReader, file_id: string): Promise<string | undefined>
  readonly operator: Operator
}

/** For the command line only. */
type Operator = {
  /** Compares store and rows. Without `remove` it only counts. */
  reconcile(asked: Reconciling): Promise<Reconciled>
  /** Takes back the deletions of objects that rows name. */
  undelete(): Promise<Undeleted>
  /** Returns how many available files will be inspected again. */
  blockHash(
    sha256: Buffer,
    by: { readonly actor: string; readonly reason: string },
  ): Promise<number>
  /** Returns false if the content is not blocked. */
  unblockHash(sha256: Buffer, actor: string): Promise<boolean>
  blockedHashes(): Promise<readonly BlockedHash[]>
}

/** The account that submitted a job. Null if a surface did, because a surface has no files. */
export type InputReader = {
  readonly tenant_id: string
  readonly principal_id: string | null
  /** The narrow session of the principal, whose scope the job keeps. */
  readonly session_id: string | null
}
