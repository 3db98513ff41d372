/** Which rows of inference belong to no tenant. */
import type { Tenancy } from '#dodeca/kernel'

export const tenancy: Tenancy = {
  'inference.provider_events': { cell: 'messages to the provider account of the cell' },
}
