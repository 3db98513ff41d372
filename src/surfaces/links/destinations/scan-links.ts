/**
 * Checks due destinations with the engine, outside any transaction. A verdict is valid only for the
 * destination that was sent.
 */
import { Type } from 'typebox'
import { done, dueQueue, Id, sql, type DueQueue } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { applyVerdict, type Verdict } from '../moderation/apply-verdict.ts'
import type { UrlReputation } from './reputation.ts'

const Scan = Type.Object({
  domain_id: Id,
  code: Type.String(),
  destination_url: Type.String(),
  destination_version: Type.Integer(),
})

export const scan_queue = 'links.scans'
const scan_columns = {
  due_at: 'scan_due_at',
  attempts: 'scan_attempts',
  lease_token: 'scan_lease_token',
  leased_until: 'scan_leased_until',
  last_error_code: 'scan_error_code',
} as const

/**
 * Columns for the update of a link that needs no scan any more. The result of a running scan is
 * ignored.
 */
export const unscanned = sql`scan_due_at = null, scan_lease_token = null, scan_leased_until = null`

export function scanQueue(
  { kernel, changes }: Pick<Deps, 'kernel' | 'changes'>,
  reputation: UrlReputation,
): DueQueue {
  return dueQueue<typeof Scan, Verdict>({
    name: scan_queue,
    table: 'links.links',
    key: ['domain_id', 'code'],
    columns: scan_columns,
    row: Scan,
    load: sql`t.destination_url, t.destination_version`,
    batch: 10,
    concurrency: 10,
    lease_seconds: 60,
    // The wait grows, so that an engine that was unavailable does not get all requests at the same
    // time.
    retry: { first: 15, factor: 2, cap: 3600 },
    run: async ({ destination_url }, signal) => done(await reputation.ask(destination_url, signal)),
    finish: async (tx, link, outcome) => {
      if (outcome.end !== 'done') return
      await kernel.fault('links.before_verdict')
      const by = { actor: `system:${reputation.name}`, reason: 'found by the engine' }
      await applyVerdict(tx, { changes }, link, outcome.result, by)
    },
  })
}
