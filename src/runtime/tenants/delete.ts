/**
 * Deletes a tenant everywhere, and writes a receipt: how many rows of each table and how many
 * objects were deleted, and which records are kept and why. The receipt stays in
 * kernel.tenant_states. A deletion that was interrupted goes on when it is run again.
 */
import type { DirectClient } from '../../kernel/database/direct.ts'
import { StartError } from '#dodeca/kernel'
import { inLanes } from '../backup/copy.ts'
import { canBeShared, isTenantShared, leaveTenant } from '../../kernel/objects/shared-bucket.ts'
import { objectKeys } from './export.ts'
import { dropTriggers, hold, notify, patiently, release } from './hold.ts'
import {
  cellIdOf,
  findTenant,
  many,
  onPlace,
  tenants_table,
  timeOf,
  type Place,
  type TenantName,
} from './place.ts'
import { endElsewhere, eraseGuests, keepErasures } from './people.ts'
import {
  beginReceipt,
  countOutside,
  countRows,
  finishReceipt,
  unfinishedTenant,
  type Outside,
  type Receipt,
} from './receipt.ts'
import { listOf, quoted, tenantTables, type TenantTable } from './tables.ts'
import { refuseUnfinished } from './unfinished.ts'

const portion = 1000

export async function deleteTenant(
  place: Place,
  slug: string,
  progress: (line: string) => void = () => {},
): Promise<Receipt> {
  return await onPlace(place, async client => {
    const unfinished = await unfinishedTenant(client, slug)
    const tenant = unfinished ?? (await findTenant(client, slug))
    const tables = await tenantTables(client, place.schemas, place.tenancy)
    const moved = await isMoved(client, tenant.id)
    if (!moved) {
      if (!unfinished) {
        await refuseOpen(client, tenant)
        await refuseUnfinished(client, tenant, tables)
      }
      await hold(client, place, tenant.id, tables, 'is deleted')
      if (!unfinished) await refuseHeld(client, tenant, tables)
    }
    await beginReceipt(client, tenant)
    await endElsewhere(client, tables, tenant.id)
    await keepErasures(client, tenant.id)
    // People of a tenant that moved live on in the other cell.
    const guests = moved ? 0 : await eraseGuests(client, place, tables, tenant.id)
    const outside = await deleteOutside(client, { place, moved }, tables, tenant)
    await countOutside(client, tenant.id, { ...outside, guests })
    for (const table of inOrderOfDeletion(tables)) {
      const deleted = await deleteRows(client, table, tenant.id)
      if (deleted > 0) progress(`Deleted ${many(deleted, 'row')} of ${table.name}.`)
    }
    const kept = await keptRows(client, tables, tenant.id)
    await dropTriggers(client, tables, tenant.id)
    const deleted_at = await timeOf(client)
    const receipt = await finishReceipt(client, tenant.id, { deleted_at, kept })
    // Last, because it must not be repeated: it would take the mark of another cell.
    await leaveTenant(place.objects, tenant.id, await cellIdOf(client))
    await notify(client)
    return receipt
  })
}

/**
 * Rows without a tenant of their own are found through other rows, so they go first. The row of the
 * tenant goes last: other commands find it there until then.
 */
function inOrderOfDeletion(tables: readonly TenantTable[]): TenantTable[] {
  const place = ({ name, has_tenant }: TenantTable) => {
    if (name === tenants_table) return 2
    return has_tenant ? 1 : 0
  }
  return tables.toReversed().sort((one, next) => place(one) - place(next))
}

/**
 * Cells with one bucket share its objects. They stay while another cell has the tenant. Search
 * indexes are not shared, except by the cell to which the tenant moved.
 */
async function deleteOutside(
  client: DirectClient,
  { place, moved }: { readonly place: Place; readonly moved: boolean },
  tables: readonly TenantTable[],
  { id }: TenantName,
): Promise<Omit<Outside, 'guests'>> {
  const { objects } = place
  const keys = new Set<string>()
  for (const table of tables) {
    for (const key of await objectKeys(client, table, id)) keys.add(key)
  }
  const shared = moved && canBeShared(objects)
  const indexes = shared ? 0 : await place.deleteIndexes(id)
  if (shared || (await isTenantShared(objects, id))) {
    return { objects: 0, objects_kept: keys.size, indexes }
  }
  await inLanes([...keys], key => objects.delete(key))
  return { objects: keys.size, objects_kept: 0, indexes }
}

/** A tenant must be closed first, so that one in use is not deleted by mistake. */
async function refuseOpen(client: DirectClient, { id, slug }: TenantName): Promise<void> {
  const { rowCount } = await client.query(
    `select from ${tenants_table} where id = $1 and state = 'disabled'`,
    [id],
  )
  if (rowCount) return
  throw new StartError(
    `The tenant ${slug} is in use. Run \`npx dodeca tenant disable ${slug}\` first.`,
  )
}

async function refuseHeld(
  client: DirectClient,
  tenant: TenantName,
  tables: readonly TenantTable[],
): Promise<void> {
  try {
    await refuseUnfinished(client, tenant, tables)
  } catch (error) {
    await release(client, tenant.id, tables)
    throw error
  }
}

async function isMoved(client: DirectClient, tenant_id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from kernel.tenant_states where tenant_id = $1 and state = 'moved'`,
    [tenant_id],
  )
  return rowCount === 1
}

/** In portions, so that a trigger that refuses deletes is off only for moments. */
async function deleteRows(
  client: DirectClient,
  { name, deleted: where, guards, change_log }: TenantTable,
  tenant_id: string,
): Promise<number> {
  if (where === null) return 0
  const table = quoted(name)
  const switched = (how: string) =>
    guards.map(guard => `alter table ${table} ${how} trigger ${quoted(guard)};`).join('')
  const remove = `
    delete from ${table} where (tableoid, ctid) in (
      select t.tableoid, t.ctid from ${table} t where ${where} limit ${portion})`
  const statement = change_log
    ? `with gone as (${remove} returning *)
       insert into ${quoted(change_log.table)} (${listOf(change_log.columns)})
       select ${listOf(change_log.columns)} from gone`
    : remove
  let all = 0
  for (;;) {
    const deleted = await patiently(client, async () => {
      await client.query(switched('disable'))
      const { rowCount } = await client.query(statement, [tenant_id])
      await client.query(switched('enable'))
      if (rowCount) await countRows(client, tenant_id, name, rowCount)
      return rowCount ?? 0
    })
    all += deleted
    if (deleted < portion) break
  }
  const left = await countOf(client, name, where, tenant_id)
  if (left > 0) throw new Error(`${left} rows are left in ${name}`)
  return all
}

async function keptRows(client: DirectClient, tables: readonly TenantTable[], tenant_id: string) {
  const kept: Record<string, { rows: number; reason: string }> = {}
  for (const { name, rows: where, kept: reason } of tables) {
    if (reason === null) continue
    const rows = await countOf(client, name, where, tenant_id)
    if (rows > 0) kept[name] = { rows, reason }
  }
  return kept
}

async function countOf(client: DirectClient, name: string, where: string, tenant_id: string) {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from ${quoted(name)} t where ${where}`,
    [tenant_id],
  )
  return rows[0]?.n ?? 0
}
