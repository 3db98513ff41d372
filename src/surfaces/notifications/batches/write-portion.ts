/**
 * Writes a portion of a batch as two halves at once, so that PostgreSQL can use two processors. All
 * lines of one recipient are in one half, so that of duplicates the first line counts. Each half
 * checks the lease: a request that was considered dead must not continue in parallel with its
 * retry.
 */
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { expandPortion, type Batch, type Portion } from './expand.ts'
import type { Line } from './read-lines.ts'

export const lease_seconds = 60

export const leased = ({ id, token }: Batch) =>
  sql`id = ${id} and expand_token = ${token} and state = 'expanding'`

export async function writePortion(
  deps: Deps,
  batch: Batch,
  lines: readonly Line[],
): Promise<Portion> {
  const { db } = deps.kernel
  const renewed = await db.run(sql`
    update notifications.notification_batches
    set expand_until = now() + make_interval(secs => ${lease_seconds})
    where tenant_id = ${batch.tenant_id} and ${leased(batch)}`)
  if (renewed === 0) throw problem('idempotency_in_progress')
  const written = await Promise.all(halvesOf(lines).map(half => writeHalf(deps, batch, half)))
  return {
    total: written.reduce((sum, one) => sum + one.total, 0),
    duplicates: written.reduce((sum, one) => sum + one.duplicates, 0),
    rejected: written.flatMap(one => one.rejected).toSorted((a, b) => a.line - b.line),
  }
}

function writeHalf({ vault, kernel }: Deps, batch: Batch, lines: readonly Line[]) {
  return kernel.db.tx(async tx => {
    // Shared, because both halves hold it. A retry takes the lease only after they have ended.
    const ours = await tx.run(sql`
      select from notifications.notification_batches
      where tenant_id = ${batch.tenant_id} and ${leased(batch)} for share`)
    if (ours === 0) throw problem('idempotency_in_progress')
    return expandPortion(tx, { vault, kernel }, batch, lines)
  })
}

function halvesOf(lines: readonly Line[]): Line[][] {
  const half_of = new Map<string, number>()
  const halves: Line[][] = [[], []]
  for (const line of lines) {
    const { user_id, destination_id } = line.recipient
    const recipient = line.address?.address ?? (user_id ?? destination_id ?? '').toLowerCase()
    const half = half_of.get(recipient) ?? half_of.size % 2
    half_of.set(recipient, half)
    halves[half]?.push(line)
  }
  return halves.filter(half => half.length > 0)
}
