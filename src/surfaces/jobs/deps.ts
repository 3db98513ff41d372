/**
 * The parts that the use cases of jobs share. surface.ts puts them together once. A use case lists
 * the properties that it needs with `Pick<Deps, …>`.
 */
import type { Kernel } from './settings.ts'
import type { FileLookup, Rights } from './face.ts'
import type { EndListeners } from './attempts/ends/announce-ends.ts'
import type { Engine } from './attempts/engine.ts'
import type { WaitingQuota } from './jobs/waiting-quota.ts'
import type { JobTypes } from './types/job-types.ts'

export type Deps = {
  readonly kernel: Kernel
  readonly types: JobTypes
  readonly listeners: EndListeners
  /** The worker protocol, for external workers. */
  readonly engine: Engine
  readonly quota: WaitingQuota
  readonly rights: Rights
  /** Null if no surface stores files. Then a job cannot have a file as input. */
  readonly files: () => FileLookup | null
}
