/** Which rows of notifications belong to no tenant. */
import type { Tenancy } from '#dodeca/kernel'

export const tenancy: Tenancy = {
  'notifications.provider_health': { cell: 'how the providers of the cell work' },
}
