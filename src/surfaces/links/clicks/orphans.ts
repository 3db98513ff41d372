/**
 * Makes the spool of a dead process visible in statistics. The row of that process says since when
 * clicks wait in its spool. The row stays until the process that took over the spool has stored the
 * clicks.
 */
import { sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Batch } from './batch.ts'
import { Losses } from './losses.ts'
import type { Orphan } from './spool.ts'
import { storeBatches } from './store-batches.ts'

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
    const since_ms = firstIn(batches)?.at_ms[0]
    if (since_ms !== undefined) await announceOrphan(kernel, orphan.node_id, since_ms)
    readable.push(orphan)
  }
  return readable
}

function firstIn(batches: Iterable<Batch | null>): Batch | undefined {
  for (const batch of batches) if (batch) return batch
  return undefined
}

/** One file that cannot be read keeps no other from the database. */
async function readOrphan(
  { log }: Pick<Kernel, 'log'>,
  orphan: Orphan,
): Promise<Iterable<Batch | null> | undefined> {
  try {
    return await orphan.batches()
  } catch (error) {
    const { node_id } = orphan
    log.error({ err: error, node_id }, 'a spool file of an ended process cannot be read')
    return undefined
  }
}

const store_together_max = 32

/**
 * Stores the clicks of the file and then deletes it. A frame that cannot be read is at least one
 * lost click, so that the statistics of its day say that they are incomplete. Returns false if the
 * file cannot be read.
 */
export async function storeOrphan(
  kernel: Kernel,
  orphan: Orphan,
  storing: (first_ms: number) => void,
): Promise<boolean> {
  const batches = await readOrphan(kernel, orphan)
  if (!batches) return false
  const losses = new Losses()
  let last_ms = orphan.written_ms
  let together: Batch[] = []
  const flush = async () => {
    const [first_ms] = together[0]?.at_ms ?? []
    if (first_ms !== undefined) storing(first_ms)
    if (together.length > 0) await storeBatches(kernel, together)
    together = []
  }
  for (const batch of batches) {
    last_ms = batch?.at_ms.at(-1) ?? last_ms
    if (!batch) losses.add(last_ms)
    else if (together.push(batch) === store_together_max) await flush()
  }
  await flush()
  if (losses.waits) {
    kernel.log.error({ node_id: orphan.node_id }, 'clicks of an ended process cannot be read')
    await losses.report(kernel.db)
  }
  await orphan.remove()
  return true
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
