/**
 * Asks the engine about the destinations that are due. A link is claimed by moving its time ahead, so a
 * crash only delays it; the engine is asked outside any transaction, and its verdict counts only for the
 * destination that it was asked about. Two answers to one question do no harm: the second finds nothing due.
 */
import { Type, type Static } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { judgeLink } from '../moderation/judge-link.ts'

const portion = 10
const first_wait_seconds = 15
const longest_wait_seconds = 3600

const Due = Type.Object({
  domain_id: Id,
  code: Type.String(),
  destination_url: Type.String(),
  destination_version: Type.Integer(),
})

type Scanning = Pick<Deps, 'kernel' | 'changes' | 'reputation'>

export async function scanLinks(deps: Scanning, signal: AbortSignal): Promise<void> {
  if (!deps.reputation) return
  for (;;) {
    const due = await claimDue(deps)
    await Promise.all(due.map(one => scan(deps, one, signal)))
    if (due.length < portion || signal.aborted) return
  }
}

/** The wait grows with each attempt, so that an engine that is down is not asked for everything at once. */
export function claimDue({ kernel: { db } }: Pick<Deps, 'kernel'>): Promise<Static<typeof Due>[]> {
  return db.many(
    Due,
    sql`
      -- any tenant: the platform scans for all
      update links.links
      set scan_attempts = least(scan_attempts + 1, 100), scan_due_at = now() + make_interval(
        secs => least(${longest_wait_seconds}, ${first_wait_seconds} * 2 ^ least(scan_attempts, 10)))
      where (domain_id, code) in (
        select domain_id, code from links.links
        where scan_due_at <= now()
        order by scan_due_at
        limit ${portion}
        for update skip locked)
      returning domain_id, code, destination_url, destination_version`,
  )
}

async function scan(
  { kernel, changes, reputation }: Scanning,
  due: Static<typeof Due>,
  signal: AbortSignal,
): Promise<void> {
  if (!reputation) return
  try {
    const verdict = await reputation.ask(due.destination_url, signal)
    await kernel.fault('links.before_verdict')
    const by = { actor: `system:${reputation.name}`, reason: 'found by the engine' }
    await kernel.db.tx(tx => judgeLink(tx, { changes }, due, verdict, by))
  } catch (error) {
    // It is due again by itself.
    kernel.log.warn({ engine: reputation.name, err: error }, 'a destination could not be scanned')
  }
}
