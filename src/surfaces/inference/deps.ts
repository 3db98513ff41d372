/**
 * The dependencies that the use cases of inference share, and the faces of other surfaces that
 * inference calls.
 */
import type { Inside as Identity } from '../identity/face.ts'
import type { Inside as Jobs } from '../jobs/face.ts'
import type { Inside as Uploads } from '../uploads/face.ts'
import type { KnownModels } from './models/known-models.ts'
import type { Calls } from './operations/calls.ts'
import type { Places } from './operations/places.ts'
import type { Providers } from './providers/open-providers.ts'
import type { Policy } from './safety/policy.ts'
import type { Kernel } from './settings.ts'

export type Needs = {
  readonly jobs: Pick<Jobs, 'submit' | 'view' | 'cancel'>
  readonly people: Pick<Identity, 'grantsOf' | 'membersOf' | 'ownerOf'>
  readonly files: Pick<Uploads, 'inputFile' | 'read'> | undefined
}

export type Deps = Needs & {
  readonly kernel: Kernel
  readonly providers: Providers
  readonly policy: Policy
  /** The calls that run in this process. */
  readonly calls: Calls
  readonly places: Places
  readonly models: KnownModels
}

export { nil_id as platform_tenant } from '#dodeca/kernel'
