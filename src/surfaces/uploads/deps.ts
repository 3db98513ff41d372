/**
 * The dependencies that the use cases of uploads share. surface.ts creates them once. A use case
 * lists the dependencies that it needs with `Pick<Deps, …>`.
 */
import type { Principal, Reader, Tx } from '#dodeca/kernel'
import type { Inside as Identity } from '../identity/face.ts'
import type { Inside as JobsFace } from '../jobs/face.ts'
import type { FileUrls } from './files/file-urls.ts'
import type { Inspectors } from './processing/inspectors.ts'
import type { Purpose, Purposes } from './purposes.ts'
import type { Clamd } from './scanning/clamd.ts'
import type { Kernel } from './settings.ts'
import type { OwnStore } from './storage/own-store.ts'

/**
 * Returns which of these files the principal may read now. The surface that uses the purpose
 * registers this function. If none is registered, only the owner and holders of
 * `uploads.files.download_any` may read.
 */
export type MayRead = (
  reader: Reader,
  principal: Principal,
  file_ids: readonly string[],
) => Promise<ReadonlySet<string>>

/**
 * Runs in the transaction that completes an upload of a purpose, so that the surface of the purpose
 * knows the file when the reply is sent. Registered like `MayRead`.
 */
export type OnCompleted = (
  tx: Tx,
  upload: { readonly tenant_id: string; readonly upload_id: string; readonly file_id: string },
) => Promise<void>

/**
 * The part of the jobs surface that uploads uses. An operator may pause processing like a job type.
 */
export type Jobs = Pick<JobsFace, 'activities' | 'plugFiles' | 'pauseFence'>

/**
 * The grants of a job's owner at the time when a worker takes the job, and whether the tenant of a
 * signed URL is active.
 */
export type Rights = Pick<Identity, 'grantsOf' | 'isOpen'>

export type Deps = {
  readonly kernel: Kernel
  readonly store: OwnStore
  readonly jobs: Jobs
  readonly rights: Rights
  readonly purposes: Purposes
  readonly fileUrls: FileUrls
  readonly inspectors: Inspectors
  /** Null if no scanner is configured. */
  readonly clamd: Clamd | null
  readonly readers: ReadonlyMap<Purpose, MayRead>
  readonly completed: ReadonlyMap<Purpose, OnCompleted>
}
