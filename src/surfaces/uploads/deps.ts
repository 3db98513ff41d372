/**
 * What the use cases of uploads share. It is put together once in surface.ts; a use case names the members
 * that it needs with `Pick<Deps, …>`.
 */
import type { Principal } from '../../kernel/access/principal.ts'
import type { Reader, Tx } from '../../kernel/database/db.ts'
import type { Face as Identity } from '../identity/face.ts'
import type { FileUrls } from './files/file-urls.ts'
import type { Inspectors } from './processing/inspectors.ts'
import type { Purpose, Purposes } from './purposes.ts'
import type { Clamd } from './scanning/clamd.ts'
import type { Kernel } from './settings.ts'

/**
 * Which of these files the surface behind a purpose lets the principal read now. A surface plugs its own
 * in; without it only the owner and holders of `uploads.files.download_any` may.
 */
export type MayRead = (
  reader: Reader,
  principal: Principal,
  file_ids: readonly string[],
) => Promise<ReadonlySet<string>>

/** The part of the jobs surface that uploads keep to: an operator may pause processing like a type. */
export type Jobs = {
  activities(names: readonly string[]): void
  pauseFence(tx: Tx, activity: string): Promise<boolean>
}

/** What the owner of a job holds, when a worker takes the job. */
export type Rights = Pick<Identity, 'grantsOf'>

export type Deps = {
  readonly kernel: Kernel
  readonly jobs: Jobs
  readonly rights: Rights
  readonly purposes: Purposes
  readonly fileUrls: FileUrls
  readonly inspectors: Inspectors
  /** Null where no scanner is configured. */
  readonly clamd: Clamd | null
  readonly readers: ReadonlyMap<Purpose, MayRead>
}
