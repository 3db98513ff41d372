/**
 * Ends an attempt at a receipt, if the caller holds its lease. The retry schedule gives the time of
 * the next attempt.
 */
import { jitter, sql, type Db, type Tx } from '#dodeca/kernel'
import type { Claimed } from './claim-receipts.ts'

/**
 * The wait after each failed attempt. After the last wait, a further failure makes the receipt
 * dead.
 */
export const retry_seconds = [10, 60, 300, 1800, 7200] as const

type Held = Pick<Claimed, 'id' | 'tenant_id' | 'lease_token' | 'attempts'>

/** Returns whether the lease was still held. */
export async function endReceipt(
  tx: Pick<Tx, 'run'>,
  { id, tenant_id, lease_token }: Held,
  state: 'processed' | 'ignored',
): Promise<boolean> {
  const ended = await tx.run(sql`
    update webhooks.inbound_receipts
    set processing_state = ${state}, processed_at = kernel.now(), next_attempt_at = null,
      lease_token = null, leased_until = null, last_error_code = null
    where tenant_id = ${tenant_id} and id = ${id} and lease_token = ${lease_token}
      and processing_state = 'processing'`)
  return ended === 1
}

export async function failReceipt(
  db: Pick<Db, 'run'>,
  { id, tenant_id, lease_token, attempts }: Held,
  error_code: 'handler_failed' | 'payload_purged',
): Promise<'failed' | 'dead'> {
  const wait = error_code === 'payload_purged' ? undefined : retry_seconds[attempts - 1]
  const state = wait === undefined ? 'dead' : 'failed'
  // Varies the wait by up to a fifth, so that receipts that failed together are not retried
  // together.
  const seconds = (wait ?? 0) * (0.8 + 0.4 * jitter())
  await db.run(sql`
    update webhooks.inbound_receipts
    set processing_state = ${state}, last_error_code = ${error_code},
      processed_at = case when ${state}::text = 'dead' then kernel.now() end,
      next_attempt_at = case when ${state}::text = 'failed'
        then kernel.now() + make_interval(secs => ${seconds}) end,
      lease_token = null, leased_until = null
    where tenant_id = ${tenant_id} and id = ${id} and lease_token = ${lease_token}
      and processing_state = 'processing'`)
  return state
}
