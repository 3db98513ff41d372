/**
 * Checks daily whether verified hosts still have their record. If the record of a host is missing
 * in several checks in a row, the host is suspended. So a name that has a new owner does not
 * continue to redirect. The host becomes active again when the record is back. If DNS does not
 * reply, the check does not count.
 */
import { Type } from 'typebox'
import { again, done, dueQueue, Id, retry, sql, type DueQueue, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announceDomain, Changed, changed_columns, proofs, wholeDomain } from './domain-row.ts'

/** The wait before a check is repeated that got no reply. */
const again_seconds = 3600

const Due = Type.Object({
  id: Id,
  hostname: Type.String(),
  verification_token_hash: Type.Unknown(),
})
const Looked = Type.Object({ ...Changed.properties, state: Type.String() })

type Rechecking = Pick<Deps, 'kernel' | 'lookUpTxt' | 'changes'>

export function recheckQueue(deps: Rechecking): DueQueue {
  const { settings } = deps.kernel
  return dueQueue<typeof Due, boolean>({
    name: 'links.domain_checks',
    table: 'links.domains',
    key: ['id'],
    columns: {
      due_at: 'next_check_at',
      attempts: 'check_attempts',
      lease_token: 'check_lease_token',
      leased_until: 'check_leased_until',
      last_error_code: 'check_error_code',
    },
    row: Due,
    load: sql`t.hostname, t.verification_token_hash`,
    where: sql`t.state in ('active', 'suspended')`,
    batch: 20,
    concurrency: 4,
    lease_seconds: 60,
    retry: { first: again_seconds, factor: 1, cap: again_seconds },
    run: async due => {
      const records = await deps.lookUpTxt(proofs.recordName(due.hostname))
      if (records === 'unanswered') return retry('dns_unanswered')
      return done(proofs.isProof(records, due.verification_token_hash as Buffer)) // bytea
    },
    finish: async (tx, { id, verification_token_hash }, outcome) => {
      if (outcome.end !== 'done') return undefined
      const hash = verification_token_hash as Buffer // bytea
      await record(tx, deps, { id, hash, proven: outcome.result })
      return again(settings['links.domain_check_seconds'])
    },
  })
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
        checked_at = kernel.now()
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
