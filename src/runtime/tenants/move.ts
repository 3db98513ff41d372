/**
 * Moves a tenant to another cell while all others go on: hold, copy, compare, switch, delete. The
 * tenant can be read until the switch; its writes are refused with `Retry-After` from the hold on.
 * If a step before the switch fails, the hold ends and the tenant is served here as before. The rows
 * here go at once: a link that is still redirected here would not follow a change in the new cell.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DirectClient } from '../../kernel/database/direct.ts'
import { StartError } from '../../kernel/errors/start-error.ts'
import type { TenantManifest } from './archive.ts'
import { deleteTenant, type Receipt } from './delete.ts'
import { exportTenant } from './export.ts'
import { hold, notify, release } from './hold.ts'
import { importTenant } from './import.ts'
import { findTenant, onPlace, type Place, type TenantName } from './place.ts'
import { quoted, tenantTables, type TenantTable } from './tables.ts'

export type Move = {
  readonly from: Place
  readonly to: Place
  /** The address at which the new cell answers. */
  readonly cell_url: string
  /** A folder with room for a copy of the tenant. */
  readonly scratch: string
}

export async function moveTenant(
  { from, to, cell_url, scratch }: Move,
  slug: string,
  progress: (line: string) => void = () => {},
): Promise<{ readonly manifest: TenantManifest; readonly receipt: Receipt }> {
  return await onPlace(from, async client => {
    const tenant = await findTenant(client, slug)
    const tables = await tenantTables(client, from.schemas, from.tenancy)
    await refuseBound(client, tenant, tables)
    const folder = await mkdtemp(join(scratch, 'tenant-'))
    progress(`Holding ${slug} …`)
    await hold(client, from, tenant.id, tables, `moves to ${cell_url}`)
    const manifest = await copy(from, to, { slug, folder, progress }).catch(
      async (error: unknown) => {
        await release(client, tenant.id, tables)
        throw error
      },
    )
    // From here on the new cell has the tenant, so a failure must not release it here.
    await client.query(
      `update kernel.tenant_states set state = 'moved', cell_url = $2, changed_at = now()
       where tenant_id = $1`,
      [tenant.id, cell_url],
    )
    await notify(client)
    return { manifest, receipt: await deleteTenant(from, slug, progress) }
  })
}

async function copy(
  from: Place,
  to: Place,
  { slug, folder, progress }: { slug: string; folder: string; progress: (line: string) => void },
): Promise<TenantManifest> {
  try {
    await exportTenant(from, slug, folder, progress)
    return await importTenant(to, folder, progress)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
