/**
 * Moves a tenant to another cell while all others go on: hold, copy, compare, switch, delete. The
 * tenant can be read until the switch; its writes are refused with `Retry-After` from the hold on.
 * If a step before the switch fails, the hold ends and the tenant is served here as before. The rows
 * here go at once: a link that is still redirected here would not follow a change in the new cell.
 * A move that was interrupted is finished by the same move again: before the copy is committed in the
 * new cell, this one records that it may be there, and from then on the tenant is not released here.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DirectClient } from '../../kernel/database/direct.ts'
import { StartError } from '#dodeca/kernel'
import { deleteTenant } from './delete.ts'
import { exportTenant } from './export.ts'
import { hold, mayHaveArrived, notify, recordArrival, release, stateOf } from './hold.ts'
import { importTenant } from './import.ts'
import { findTenant, onPlace, tenants_table, type Place, type TenantName } from './place.ts'
import { unfinishedTenant, type Receipt } from './receipt.ts'
import { quoted, tenantTables, type TenantTable } from './tables.ts'
import { refuseUnfinished } from './unfinished.ts'

export type Move = {
  readonly from: Place
  readonly to: Place
  /** The address at which the new cell answers. */
  readonly cell_url: string
  /** A folder with room for a copy of the tenant. */
  readonly scratch: string
}

type Work = {
  readonly client: DirectClient
  readonly move: Move
  readonly tenant: TenantName
  readonly tables: readonly TenantTable[]
  readonly progress: (line: string) => void
}

/** The receipt says which rows were deleted here. */
export async function moveTenant(
  move: Move,
  slug: string,
  progress: (line: string) => void = () => {},
): Promise<Receipt> {
  const { from, to, cell_url } = move
  return await onPlace(from, async client => {
    const tenant = (await unfinishedTenant(client, slug)) ?? (await findTenant(client, slug))
    const tables = await tenantTables(client, from.schemas, from.tenancy)
    const state = await stateOf(client, tenant.id)
    if (state?.state === 'frozen' && state.deleting) {
      throw new StartError(`${slug} is being deleted. Finish that: \`dodeca tenant delete\`.`)
    }
    if (state?.state === 'moved' && state.cell_url !== cell_url) {
      throw new StartError(`${slug} is served by ${state.cell_url}. Finish that move first.`)
    }
    if (state?.state !== 'moved') {
      const there = await isThere(to, tenant)
      const arrived = there && state !== undefined && mayHaveArrived(state.reason)
      if (there && !arrived) {
        throw new StartError(`The other cell has a tenant ${slug} already. Delete it there first.`)
      }
      if (!arrived) await copy({ client, move, tenant, tables, progress })
      progress(`Switching ${slug} to ${cell_url} …`)
      await client.query(
        `update kernel.tenant_states set state = 'moved', cell_url = $2, changed_at = now()
         where tenant_id = $1`,
        [tenant.id, cell_url],
      )
      await notify(client)
    }
    return await deleteTenant(from, slug, progress)
  })
}

async function copy({ client, move, tenant, tables, progress }: Work): Promise<void> {
  const { from, to, cell_url, scratch } = move
  await refuseBound(client, tenant, tables)
  await refuseUnfinished(client, tenant, tables)
  const folder = await mkdtemp(join(scratch, 'tenant-'))
  let arriving = false
  const beforeCommit = async () => {
    await recordArrival(client, tenant.id, cell_url)
    arriving = true
  }
  try {
    progress(`Holding ${tenant.slug} …`)
    await hold(client, from, tenant.id, tables, `moves to ${cell_url}`)
    await refuseBound(client, tenant, tables)
    await refuseUnfinished(client, tenant, tables)
    await exportTenant(from, tenant.slug, folder, progress)
    await importTenant(to, folder, progress, { beforeCommit })
  } catch (error) {
    // The reply to the commit may be what was lost.
    const known =
      !arriving ||
      (await isThere(to, tenant).then(
        there => !there,
        () => false,
      ))
    if (known) await release(client, tenant.id, tables)
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function isThere(to: Place, { id }: TenantName): Promise<boolean> {
  return await onPlace(to, async client => {
    const { rowCount } = await client.query(`select from ${tenants_table} where id = $1`, [id])
    return rowCount === 1
  })
}

async function refuseBound(
  client: DirectClient,
  { id, slug }: TenantName,
  tables: readonly TenantTable[],
): Promise<void> {
  for (const { name, rows: where, blocks } of tables) {
    if (blocks === null) continue
    const { rowCount } = await client.query(
      `select from ${quoted(name)} t where ${where} limit 1`,
      [id],
    )
    if (rowCount) throw new StartError(`The tenant ${slug} cannot be moved: ${blocks} (${name}).`)
  }
}
