/**
 * Refuses a move or a deletion while an effect outside has not ended, such as a refund on its way to
 * the provider: its outcome could be written nowhere. An effect may begin until the tenant is held, so
 * this is asked before the hold and again under it.
 */
import type { DirectClient } from '../../kernel/database/direct.ts'
import { StartError } from '#dodeca/kernel'
import type { TenantName } from './place.ts'
import { quoted, type TenantTable } from './tables.ts'

export async function refuseUnfinished(
  client: DirectClient,
  { id, slug }: TenantName,
  tables: readonly TenantTable[],
): Promise<void> {
  for (const { name, rows, unfinished } of tables) {
    if (unfinished === null) continue
    const { rowCount } = await client.query(
      `select from ${quoted(name)} t where (${rows}) and (${unfinished.rows}) limit 1`,
      [id],
    )
    if (!rowCount) continue
    throw new StartError(
      `The tenant ${slug} cannot go now: ${unfinished.reason} (${name}). Try again when they have ended.`,
    )
  }
}
