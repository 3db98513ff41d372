/** Connectors of collections that the caller manages. */
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf, type List } from '../../../kernel/http/page.ts'
import type { Caller } from '../access/principals.ts'
import { mayCollection } from '../access/rights.ts'
import { problem } from '../errors.ts'
import { Connector } from './schemas.ts'

const columns = sql`
  n.id, n.collection_id, n.kind, n.state, n.config, n.schedule_seconds, n.delete_policy,
  n.max_documents, n.error_code, case when n.state = 'active' then n.due_at end as next_sync_at,
  n.job_id, n.version, n.created_at`

/** `lock` is for a change. */
export async function requireConnector(
  reader: Reader,
  caller: Caller,
  id: string,
  lock: 'lock' | null = null,
): Promise<Connector> {
  const found = await reader.maybe(
    Connector,
    sql`
      select ${columns} from retrieval.connectors n
      join retrieval.collections c on c.tenant_id = n.tenant_id and c.id = n.collection_id
      where n.tenant_id = ${caller.tenant_id} and n.id = ${id} and n.state <> 'deleted'
        and ${mayCollection(caller, 'manage')} ${lock ? sql`for update of n` : sql.empty}`,
  )
  if (!found) throw problem('connector_not_found')
  return found
}

export async function listConnectors(
  reader: Reader,
  scope: List,
  { tenant_id }: Caller,
  collection_id: string,
) {
  return await pageOf(reader, {
    scope,
    row: Connector,
    place: ['id'],
    fetch: ({ id }, many) => sql`
      select ${columns} from retrieval.connectors n
      where n.tenant_id = ${tenant_id} and n.collection_id = ${collection_id}
        and n.state <> 'deleted' and (${id}::uuid is null or n.id > ${id}::uuid)
      order by n.id limit ${many}`,
  })
}
