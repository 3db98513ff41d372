/**
 * Processes received messages. Each receipt is processed once, in the transaction of its handler.
 * If a handler fails, the receipt is retried on a schedule. If a process is killed, its lease ends,
 * and the attempt counts.
 */
import { sql, type InboundMessage, type Loop } from '#dodeca/kernel'
import type { Kernel } from '../../settings.ts'
import type { Handlers } from '../handlers.ts'
import { claimReceipts, type Claimed } from './claim-receipts.ts'
import { endReceipt, failReceipt, retry_seconds } from './end-receipt.ts'

export type ProcessDeps = {
  readonly kernel: Pick<Kernel, 'db' | 'log' | 'fault'>
  readonly handlers: Handlers
}

/** A commit with new receipts wakes this topic. */
export const inbound_topic = 'webhooks.inbound'
const lease_seconds = 60

class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export function processLoop(deps: ProcessDeps): Loop {
  return {
    name: inbound_topic,
    every_ms: 60_000,
    due: sql`
      -- any tenant: the work of all of them
      select exists (select from webhooks.inbound_receipts r
        where r.processing_state in ('received', 'processing', 'failed')
          and r.next_attempt_at <= kernel.now()
          and (r.leased_until is null or r.leased_until <= now()))`,
    run: async signal => {
      for (;;) {
        const claimed = await claimReceipts(deps.kernel.db, lease_seconds, signal)
        if (claimed.length === 0) return
        await Promise.all(claimed.map(receipt => work(deps, receipt, signal)))
      }
    },
  }
}

async function work(deps: ProcessDeps, receipt: Claimed, signal: AbortSignal): Promise<void> {
  const { db, log } = deps.kernel
  // Each attempt killed its process, and all attempts are used up.
  if (receipt.attempts > retry_seconds.length + 1) {
    await failReceipt(db, receipt, 'handler_failed')
    return
  }
  try {
    await handle(deps, receipt, signal)
  } catch (error) {
    if (error instanceof LeaseLost) return
    const state = await failReceipt(db, receipt, 'handler_failed')
    log.error(
      { receipt_id: receipt.id, provider: receipt.provider, state, err: error },
      'a received webhook failed',
    )
  }
}

async function handle(
  { kernel, handlers }: ProcessDeps,
  receipt: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const { db, fault } = kernel
  const handler = handlers.of(receipt.provider)
  if (!handler) return void (await endReceipt(db, receipt, 'ignored'))
  if (!receipt.bytes) return void (await failReceipt(db, receipt, 'payload_purged'))
  const message: InboundMessage = {
    receipt_id: receipt.id,
    tenant_id: receipt.tenant_id,
    provider: receipt.provider,
    provider_account: receipt.provider_account,
    event_id: receipt.provider_event_id,
    type: receipt.event_type,
    raw: receipt.bytes,
    headers: receipt.headers ?? {},
    received_at: receipt.received_at,
  }
  const asked = await handler.ask?.(message, signal)
  await db.tx(async tx => {
    await handler.handle(tx, message, asked)
    if (!(await endReceipt(tx, receipt, 'processed'))) throw new LeaseLost()
    await fault('webhooks.before_processed')
  })
}
