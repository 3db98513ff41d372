/** The dependencies that the use cases of payments share. */
import type { Inside as Identity } from '../identity/face.ts'
import type { RequestOwner } from './face.ts'
import type { OpenProvider, Providers } from './provider/port.ts'
import type { Kernel } from './settings.ts'

/** Identity's face, as far as payments uses it. */
export type Needs = {
  readonly identity: Pick<Identity, 'isOpen' | 'lookOf' | 'nameOf' | 'requireStepUp'>
}

export type Deps = Needs & {
  readonly kernel: Kernel
  /** The platform's own account, or that account of a tenant which is worked on: see `atAccount`. */
  readonly provider: OpenProvider
  /** All accounts. */
  readonly providers: Providers
  /** Takes the payments of its requests. Plugged by a higher surface. */
  readonly owner: { of?: RequestOwner }
}

/** The same for the account of a row. Undefined if the platform does not have it any more. */
export async function atAccount(deps: Deps, key: string): Promise<Deps | undefined> {
  if (key === deps.provider.name) return deps
  const provider = await deps.providers.of(key)
  return provider && { ...deps, provider }
}

/** An account that this process has not used yet counts as one that answers. */
export function isAccepting({ providers }: Pick<Deps, 'providers'>, key: string): boolean {
  return providers.known(key)?.accepting() ?? true
}

/** The queue of operations whose outcome is not known yet. It is also the topic of that queue. */
export const resolver_name = 'payments.resolver'

/** The error code of operations that wait until the provider works again. */
export const breaker_open = 'breaker_open'

/** The tenant of rows that belong to the platform, in tables that have tenants. */
export { nil_id as platform_tenant } from '#dodeca/kernel'
