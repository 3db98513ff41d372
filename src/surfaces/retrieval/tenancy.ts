/** Tables of the search engine are not part of a tenant's archive. */
import type { Tenancy } from '../../kernel/work/tenancy.ts'

export const tenancy: Tenancy = {
  'retrieval.index_versions': { renewed: 'table_id' },
}
