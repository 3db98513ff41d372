/** Which rows of commerce keep a tenant where it is. All of them have a column `tenant_id`. */
import type { Tenancy } from '#dodeca/kernel'

export const tenancy: Tenancy = {
  'commerce.payment_operations': {
    unfinished: {
      rows: `t.state in ('requested', 'pending')`,
      reason: 'captures, releases or refunds of its orders have not ended',
    },
  },
}
