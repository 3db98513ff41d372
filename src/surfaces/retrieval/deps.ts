/**
 * The dependencies that the use cases of retrieval share, and the faces of other surfaces that
 * retrieval calls.
 */
import type { SafeFetch } from '#dodeca/kernel'
import type { Inside as Identity } from '../identity/face.ts'
import type { Inside as Models } from '../inference/face.ts'
import type { Inside as Jobs } from '../jobs/face.ts'
import type { Inside as Files } from '../uploads/face.ts'
import type { EmbeddingProfile } from './embedding/profile.ts'
import type { RetrievalIndex } from './engines/index.ts'
import type { Extractors } from './extraction/extract.ts'
import type { Kernel } from './settings.ts'

export type Needs = {
  readonly people: Pick<Identity, 'rolesOf' | 'membersOf' | 'grantsOf'>
  readonly jobs: Pick<Jobs, 'submit' | 'view' | 'cancel'>
  readonly files: Pick<Files, 'requireAvailable' | 'read'>
  readonly models: Pick<Models, 'configured' | 'generate' | 'embed' | 'readTags'>
}

/** The embedding profiles of this process, by id. */
export type Profiles = {
  readonly all: readonly EmbeddingProfile[]
  find(id: string): EmbeddingProfile | undefined
  /** The profile for a new collection in this language. */
  defaultFor(language: string): EmbeddingProfile
  close(): Promise<void>
}

export type Deps = Needs & {
  readonly kernel: Kernel
  readonly profiles: Profiles
  readonly index: RetrievalIndex
  readonly extractors: Extractors
  readonly fetch: SafeFetch
}

export const topics = {
  projections: 'retrieval.projections',
  connectors: 'retrieval.connector_syncs',
} as const
