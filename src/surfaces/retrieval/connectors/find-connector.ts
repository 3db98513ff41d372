/** Connectors of collections that the caller manages. */
import { columnsOf, sql, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import { mayCollection } from '../access/rights.ts'
import { problem } from '../errors.ts'
import { Connector } from './schemas.ts'

export function nextSyncAt(table: 'n' | 't') {
  const column = (name: string) => sql.id(table, name)
  return sql`case when ${column('state')} = 'active' then ${column('due_at')} end`
}

const columns = columnsOf(Connector, 'n', { next_sync_at: nextSyncAt('n') })

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
