/**
 * The files of the platform: bytes under a key, written once and never changed. Two engines
 * implement this contract: folders of this machine (`local`) and any S3-compatible service (`s3`).
 * One setting chooses the engine for job results, uploads and everything else. An object exists
 * under its key only when it is stored completely, so a reader gets the whole object or nothing.
 * Rows in the database name the objects. A row is written before its object and deleted after it.
 */
import type { Readable } from 'node:stream'

/** `version` changes when the stored bytes change. It does not describe their content. */
export type StoredObject = {
  readonly size: number
  readonly sha256: Buffer
  readonly version: string
}
export type ObjectFacts = { readonly size: number; readonly version: string }
/** `size` is the size of the whole object. The caller must read or destroy `body`. */
export type FoundObject = ObjectFacts & { readonly body: Readable }
export type ListedObject = {
  readonly key: string
  readonly size: number
  readonly modified_ms: number
}
/** Both ends are included. */
export type ByteRange = { readonly start: number; readonly end: number }

export type Objects = {
  readonly engine: 'local' | 's3'
  readonly multipart: Multipart
  /** Resolves when the object would survive a power failure. A key is used for one content only. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<StoredObject>
  /** Returns undefined if there is no object. */
  get(key: string, range?: ByteRange): Promise<FoundObject | undefined>
  head(key: string): Promise<ObjectFacts | undefined>
  /** Succeeds even if there is no object. */
  delete(key: string): Promise<void>
  /**
   * Takes the deletion of an object back. False if there is nothing to take back. Null where the store
   * keeps no versions at all.
   */
  readonly undelete: ((key: string) => Promise<boolean>) | null
  list(prefix: string): AsyncIterable<ListedObject>
  /** Whether the store can create an object only where there is none (`If-None-Match: *`). */
  createsOnce(): Promise<boolean>
  /** A short-lived URL at the store itself, or null if the platform serves the bytes. */
  presignGet: ((key: string, options: PresignOptions) => Promise<string>) | null
  /** The object as a file of this machine, for programs that open it by path. It is null on S3. */
  readonly pathOf: ((key: string) => string) | null
  close(): Promise<void>
}

export type PresignOptions = {
  readonly expires_seconds: number
  readonly content_type: string
  readonly content_disposition: string
}

/** `reference` is the store's name of a multipart upload for `key`. */
export type Place = { readonly key: string; readonly reference: string }

/** The store uses `name` to distinguish two versions of one part. */
export type StoredPart = {
  readonly part_number: number
  readonly name: string
  readonly size: number
  /** Null if the store does not compute a checksum. */
  readonly sha256: Buffer | null
}

export type Multipart = {
  begin(key: string): Promise<string>
  readonly parts: PresignedParts | ReceivedParts
  /**
   * Makes the object from these parts, in this order, if their bytes have this digest. Otherwise it
   * throws `ChecksumDiffers`. Until `abort`, a caller may repeat this after any failure, with the
   * same result.
   */
  complete(
    place: Place,
    parts: readonly StoredPart[],
    expected_sha256: Buffer,
  ): Promise<StoredObject>
  /** Removes all parts. Succeeds even if there are none. A completed object is not removed. */
  abort(place: Place): Promise<void>
  /** Lists uploads that were started and neither completed nor aborted. */
  list(): AsyncIterable<Place & { readonly begun_ms: number }>
}

/** The client sends parts to the store, and the store keeps the list of parts. */
export type PresignedParts = {
  readonly kind: 'presigned'
  presign(place: Place, part_number: number, size: number, expires_seconds: number): Promise<string>
  list(place: Place): Promise<StoredPart[]>
}

/**
 * The client sends parts to the platform, and rows of the platform record the valid version of each
 * part.
 */
export type ReceivedParts = {
  readonly kind: 'received'
  /**
   * Stores exactly `size` bytes, or nothing; throws `PartSizeDiffers`. The memory of the pieces is
   * given back when they are written, so nothing else may use them.
   */
  receive(
    reference: string,
    part_number: number,
    body: AsyncIterable<Buffer>,
    size: number,
  ): Promise<StoredPart>
  remove(reference: string, part: Pick<StoredPart, 'part_number' | 'name'>): Promise<void>
}

export class ChecksumDiffers extends Error {
  override readonly name = 'ChecksumDiffers'
  readonly sha256: Buffer
  constructor(sha256: Buffer) {
    super('the stored bytes have another digest')
    this.sha256 = sha256
  }
}

export class PartSizeDiffers extends Error {
  override readonly name = 'PartSizeDiffers'
  readonly received: number
  constructor(received: number) {
    super('the part has another size')
    this.received = received
  }
}

/** A part of the list is not stored, or is no longer stored. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing'
  readonly part_number: number
  constructor(part_number: number) {
    super(`part ${part_number} is not stored`)
    this.part_number = part_number
  }
}

/** The store is not available: it did not reply, or its reply says that it cannot work now. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

const key_form = /^[a-z][a-z0-9-]*(\/[a-zA-Z0-9_-]+)+$/

/** Other names in a store are not objects of the platform, such as what a copying program leaves. */
export const isKey = (name: string): boolean => key_form.test(name)

export function checkKey(key: string): string {
  if (!isKey(key)) throw new Error(`not a valid object key: ${key}`)
  return key
}
