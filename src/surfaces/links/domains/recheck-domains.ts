/**
 * Looks daily whether the owners of proven hosts still prove them. A host whose record is missing several
 * looks in a row is suspended, so that a name that passed to somebody else does not go on redirecting; it
 * is active again as soon as the record is back. Where DNS does not answer, nothing is held against it.
 */
import { Type, type Static } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { announceDomain, Changed, changed_columns, wholeDomain } from './domain-row.ts'
import { isProof, recordName } from './proof.ts'

const portion = 20
/** How long a look may take before somebody else repeats it, or it is tried again without an answer. */
const again_seconds = 3600

const Due = Type.Object({
  id: Id,
  hostname: Type.String(),
  verification_token_hash: Type.Unknown(),
})
const Looked = Type.Object({ ...Changed.properties, state: Type.String() })

type Rechecking = Pick<Deps, 'kernel' | 'lookUpTxt' | 'changes'>

export async function recheckDomains(deps: Rechecking, signal: AbortSignal): Promise<void> {
  for (;;) {
    const due = await claimDue(deps)
    for (const one of due) {
      if (signal.aborted) return
      await recheck(deps, one)
    }
    if (due.length < portion) return
  }
}

/** Moved ahead at once, so that no other process looks at the same time and a crash only delays it. */
export function claimDue({ kernel: { db } }: Pick<Deps, 'kernel'>): Promise<Static<typeof Due>[]> {
  return db.many(
    Due,
    sql`
      -- any tenant: the platform looks after all domains alike
      update links.domains
      set next_check_at = kernel.now() + make_interval(secs => ${again_seconds})
      where id in (
        select id from links.domains
        where state in ('active', 'suspended') and next_check_at <= kernel.now()
        order by next_check_at
        limit ${portion}
        for update skip locked)
      returning id, hostname, verification_token_hash`,
  )
}

async function recheck(deps: Rechecking, due: Static<typeof Due>): Promise<void> {
  const records = await deps.lookUpTxt(recordName(due.hostname))
  if (records === 'unanswered') return
  const hash = due.verification_token_hash as Buffer // bytea
  const proven = isProof(records, hash)
  await deps.kernel.db.tx(tx => record(tx, deps, { id: due.id, hash, proven }))
}

async function record(
  tx: Tx,
  { kernel: { settings }, changes }: Rechecking,
  { id, hash, proven }: { readonly id: string; readonly hash: Buffer; readonly proven: boolean },
): Promise<void> {
  const wanted = proven ? 'active' : 'suspended'
  const looked = await tx.maybe(
    Looked,
    sql`
      -- any tenant: it was claimed for this look, and counts only for the secret that was looked for
      update links.domains
      set missed_checks = case when ${proven}::boolean then 0 else missed_checks + 1 end,
        missing_since = case when not ${proven}::boolean
          then coalesce(missing_since, kernel.now()) end,
        checked_at = kernel.now(),
        next_check_at = kernel.now() + make_interval(secs => ${settings['links.domain_check_seconds']})
      where id = ${id} and verification_token_hash = ${hash} and state in ('active', 'suspended')
      returning ${changed_columns}, case
        when ${proven}::boolean then 'active'
        when missed_checks >= ${settings['links.domain_misses']} then 'suspended'
        else state end as state`,
  )
  if (looked?.state !== wanted) return
  const changed = await tx.maybe(
    Changed,
    sql`
      -- any tenant: the same row, still held
      update links.domains
      set state = ${wanted}, version = version + 1, updated_at = kernel.now()
      where id = ${id} and state <> ${wanted}
      returning ${changed_columns}`,
  )
  if (!changed) return
  announceDomain(
    tx,
    proven ? 'domain.verified' : 'domain.suspended',
    changed,
    proven ? { transferred_from: null } : {},
  )
  await changes.changed(tx, [wholeDomain(changed)])
}
