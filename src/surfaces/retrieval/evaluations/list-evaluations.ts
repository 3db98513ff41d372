/** Evaluations of a collection, newest first, with their results. */
import { sql } from '../../../kernel/database/sql.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { page as pageOf, type List } from '../../../kernel/http/page.ts'
import { Evaluation } from './schemas.ts'

export async function listEvaluations(
  reader: Reader,
  scope: List,
  tenant_id: string,
  collection_id: string,
) {
  return await pageOf(reader, {
    scope,
    row: Evaluation,
    place: ['id'],
    fetch: ({ id }, n) => sql`
      select e.id, e.id as job_id, e.index_version, e.stored, e.metrics, e.created_by, e.created_at
      from retrieval.evaluations e
      where e.tenant_id = ${tenant_id} and e.collection_id = ${collection_id}
        and (${id}::uuid is null or e.id < ${id}::uuid)
      order by e.id desc limit ${n}`,
  })
}
