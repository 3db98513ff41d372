/** Tables of the search engine are not part of a tenant's archive. */
import type { Tenancy } from '#dodeca/kernel'

export const tenancy: Tenancy = {
  'retrieval.index_versions': { renewed: 'table_id' },
}
