/** Which rows of uploads belong to no tenant. */
import type { Tenancy } from '#dodeca/kernel'

export const tenancy: Tenancy = {
  'uploads.blocked_hashes': { cell: 'files that the operator refuses for all tenants' },
}
