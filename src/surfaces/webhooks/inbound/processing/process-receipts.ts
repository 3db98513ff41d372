/**
 * Works on what was received: each receipt once, in the transaction of its handler. A handler that fails
 * is tried again on a schedule; a process that dies loses its lease, and the attempt counts.
 */
import { openSleeper } from '../../../../kernel/work/sleeper.ts'
import type { InboundMessage, Loop } from '../../../../kernel/surface.ts'
import type { Kernel } from '../../settings.ts'
import type { Handlers } from '../handlers.ts'
import { claimReceipts, type Claimed } from './claim-receipts.ts'
import { endReceipt, failReceipt, retry_seconds } from './end-receipt.ts'

export type ProcessDeps = {
  readonly kernel: Pick<Kernel, 'db' | 'log' | 'fault' | 'onWake'>
  readonly handlers: Handlers
}

const lease_seconds = 60
/** For what waits for its next try; whoever stores a receipt wakes. */
const poll_ms = 2000
/** Others wake for what is not ours, too. */
const rest_ms = 100

class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export function processLoop(deps: ProcessDeps): Loop {
  return {
    name: 'webhooks.inbound',
    every_ms: 500,
    run: async signal => {
      const sleeper = openSleeper()
      signal.addEventListener('abort', () => sleeper.close(), { once: true })
      const deaf = deps.kernel.onWake(() => sleeper.wake())
      try {
        while (!signal.aborted) {
          const claimed = await claimReceipts(deps.kernel.db, lease_seconds, signal)
          await Promise.all(claimed.map(receipt => work(deps, receipt, signal)))
          if (claimed.length > 0) continue
          await sleeper.sleepThrough(rest_ms)
          await sleeper.sleep(poll_ms)
        }
      } finally {
        deaf()
      }
    },
  }
}

async function work(deps: ProcessDeps, receipt: Claimed, signal: AbortSignal): Promise<void> {
  const { db, log } = deps.kernel
  // Whoever died with it each time has had its tries.
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
