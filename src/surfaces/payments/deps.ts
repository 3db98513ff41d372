/** The dependencies that the use cases of payments share. */
import type { Inside as Identity } from '../identity/face.ts'
import type { OpenProvider } from './provider/port.ts'
import type { Kernel } from './settings.ts'

export type Needs = { readonly tenants: Pick<Identity, 'isOpen'> }

export type Deps = Needs & { readonly kernel: Kernel; readonly provider: OpenProvider }

/** The queue of operations whose outcome is not known yet. It is also the topic of that queue. */
export const resolver_name = 'payments.resolver'

/** The error code of operations that wait until the provider works again. */
export const breaker_open = 'breaker_open'

/** The tenant of rows that belong to the platform, in tables that have tenants. */
export { nil_id as platform_tenant } from '#dodeca/kernel'
