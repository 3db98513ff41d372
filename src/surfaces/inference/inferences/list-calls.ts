/**
 * Calls of models, newest first: the caller's own calls, or with the permission all calls of the
 * tenant. Inputs and outputs are sealed, and are read one call at a time.
 */
import { lacks, page, sql } from '#dodeca/kernel'
import type { List, Page, Principal, Reader, Sql } from '#dodeca/kernel'
import { OperationRow, operationsWhere } from '../operations/read-operation.ts'
import { summaryOf } from '../operations/view.ts'
import type { InferenceSummary } from '../schemas.ts'

type Query = {
  readonly scope?: 'own' | 'tenant'
  readonly state?: InferenceSummary['state']
}

type Caller = {
  readonly principal: Pick<Principal, 'id' | 'tenant_id'>
  readonly grants: () => Promise<ReadonlySet<string>>
}

export async function listCalls(
  reader: Reader,
  { principal: { id, tenant_id }, grants }: Caller,
  { scope = 'own', state }: Query,
  list: List,
): Promise<Page<InferenceSummary>> {
  const any = 'inference.operations.read_any'
  if (scope === 'tenant' && !(await grants()).has(any)) {
    throw lacks(any, `Seeing calls of others needs ${any}. Leave \`scope\` out to see your own.`)
  }
  const actor_id = scope === 'own' ? id : null
  return await page(reader, {
    scope: list,
    row: OperationRow,
    place: ['id'],
    view: row => ({ ...summaryOf(row), actor_id: row.actor_id }),
    fetch: (after, n) => callsOf({ tenant_id, actor_id, state: state ?? null }, after.id, n),
  })
}

type Wanted = {
  readonly tenant_id: string
  /** Null: of all. */
  readonly actor_id: string | null
  readonly state: string | null
}

function callsOf(wanted: Wanted, after: string | null, n: number): Sql {
  const { tenant_id, actor_id, state } = wanted
  return operationsWhere(sql`
    o.tenant_id = ${tenant_id}
      ${actor_id === null ? sql.empty : sql`and o.actor_id = ${actor_id}`}
      ${state === null ? sql.empty : sql`and o.state = ${state}`}
      and (${after}::uuid is null or o.id < ${after}::uuid)
    order by o.id desc
    limit ${n}`)
}
