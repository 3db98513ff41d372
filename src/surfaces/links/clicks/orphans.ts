/**
 * Makes the spool of a dead process visible in statistics. The row of that process says since when
 * clicks wait in its spool. The row stays until the process that took over the spool has stored the
 * clicks.
 */
import { sql } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../settings.ts'
import type { Batch } from './batch.ts'
import type { Orphan } from './spool.ts'

type Writing = Pick<Kernel, 'db'>

/** Returns those that can be read. */
export async function announceOrphans(
  kernel: Pick<Kernel, 'db' | 'log'>,
  found: readonly Orphan[],
): Promise<Orphan[]> {
  const readable: Orphan[] = []
  for (const orphan of found) {
    const batches = await readOrphan(kernel, orphan)
    if (!batches) continue
    const [first] = batches
    const since_ms = first?.at_ms[0]
    if (since_ms !== undefined) await announceOrphan(kernel, orphan.node_id, since_ms)
    readable.push(orphan)
  }
  return readable
}

/** One file that cannot be read keeps no other from the database. */
export async function readOrphan(
  { log }: Pick<Kernel, 'log'>,
  orphan: Orphan,
): Promise<Iterable<Batch> | undefined> {
  try {
    return await orphan.batches()
  } catch (error) {
    const { node_id } = orphan
    log.error({ err: error, node_id }, 'a spool file of an ended process cannot be read')
    return undefined
  }
}

export async function announceOrphan(
  { db }: Writing,
  node_id: string,
  since_ms: number,
): Promise<void> {
  await db.run(sql`
    insert into links.redirect_nodes as n (node_id, leased_until, clicks_since)
    values (${node_id}, now(), timestamptz 'epoch' + ${since_ms}::bigint * interval '1 ms')
    on conflict (node_id) do update
      set clicks_since = least(n.clicks_since, excluded.clicks_since),
        leased_until = greatest(n.leased_until, excluded.leased_until)`)
}

export async function forgetOrphan({ db }: Writing, node_id: string): Promise<void> {
  await db.run(sql`delete from links.redirect_nodes where node_id = ${node_id}`)
}
