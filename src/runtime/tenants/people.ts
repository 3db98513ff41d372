/**
 * What has to happen elsewhere before the rows of a tenant go. Its people may have worked in other
 * tenants of the cell as guests: what they left there is erased as if each of them had asked for it,
 * by workers, because it may take long. Their access tokens for these tenants end at once.
 */
import type { DirectClient } from '../../kernel/database/direct.ts'
import { nil_id } from '#dodeca/kernel'
import type { Place } from './place.ts'
import { quoted, type TenantTable } from './tables.ts'

const portion = 100

/** Returns the number of people whose data elsewhere is erased. Again, it finds the same ones. */
export async function eraseGuests(
  client: DirectClient,
  place: Place,
  tables: readonly TenantTable[],
  tenant_id: string,
): Promise<number> {
  let erased = 0
  for (const { name, rows: where, guests } of tables) {
    if (guests === null) continue
    const { rows } = await client.query<{ id: string }>(
      `select t.id from ${quoted(name)} t where (${where}) and (${guests}) order by t.id`,
      [tenant_id],
    )
    for (let at = 0; at < rows.length; at += portion) {
      await place.erasePeople(rows.slice(at, at + portion).map(one => one.id))
    }
    erased += rows.length
  }
  return erased
}

/** Erasures that have not ended reach other tenants too, so they do not go with this one. */
export async function keepErasures(client: DirectClient, tenant_id: string): Promise<void> {
  await client.query(
    `update kernel.erasures set tenant_id = $2
     where tenant_id = $1 and due_at is not null and made_before is null`,
    [tenant_id, nil_id],
  )
}

export async function endElsewhere(
  client: DirectClient,
  tables: readonly TenantTable[],
  tenant_id: string,
): Promise<void> {
  for (const { ends } of tables) {
    if (ends !== null) await client.query(ends, [tenant_id])
  }
}
