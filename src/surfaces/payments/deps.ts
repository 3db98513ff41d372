/** What the use cases of payments share. */
import type { PaymentProvider } from './provider/port.ts'
import type { Kernel } from './settings.ts'

export type Deps = { readonly kernel: Kernel; readonly provider: PaymentProvider }

/** The queue of operations whose outcome must be found out; also its topic. */
export const resolver_name = 'payments.resolver'

/** Platform-owned rows of tables that have tenants. */
export { nil_id as platform_tenant } from '../../kernel/ids.ts'
