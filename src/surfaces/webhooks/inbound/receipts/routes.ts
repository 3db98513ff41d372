/**
 * Routes of receipts. The bytes have their own route, because they come from the provider and may
 * be large.
 */
import { looked, routesOf, text } from '#dodeca/kernel'
import type { Kernel } from '../../settings.ts'
import { ProcessingState, Receipt, ReceiptPayload, Reprocess, Reprocessed } from '../schemas.ts'
import { inbound_topic } from '../processing/process-receipts.ts'
import { findReceipt, readPayload } from './read-receipts.ts'
import { reprocessReceipt } from './reprocess-receipt.ts'

const path = '/v1/inbound-receipts'

const { open, get, list, post } = routesOf<{ readonly kernel: Kernel }>({
  absent: 'inbound_receipt_not_found',
  read: 'webhooks.inbound_receipts.read',
  write: 'webhooks.inbound_receipts.reprocess',
  added: true,
})

export const receiptRoutes = open({
  listInboundReceipts: list(path, 'List received webhooks, newest first', {
    from: 'webhooks.inbound_receipts',
    row: Receipt,
    time: { column: 'received_at', ids: 'id' },
    filters: {
      provider: looked(text(64)),
      provider_account: looked(text(200)),
      processing_state: looked(ProcessingState),
    },
    find: [],
  }),

  getInboundReceipt: get(
    `${path}/{id}`,
    'Get a received webhook and the result of its processing',
    { reply: Receipt },
    async ({ tx, params: { id }, principal: { tenant_id } }) =>
      await findReceipt(tx, { tenant_id, id }),
  ),

  getInboundPayload: get(
    `${path}/{id}/payload`,
    'Download the bytes of a received webhook',
    {
      // As the provider sent it, with whatever is in it.
      tool: 'never',
      reply: ReceiptPayload,
      fails: ['payload_purged'],
    },
    async ({ tx, params: { id }, principal: { tenant_id } }) =>
      await readPayload(tx, { tenant_id, id }),
  ),

  reprocessInboundReceipt: post(
    `${path}/{id}/reprocess`,
    'Process a received webhook again',
    {
      idempotency: 'optional',
      body: Reprocess,
      replies: { 202: Reprocessed },
      location: `${path}/{id}`,
      fails: ['invalid_transition', 'payload_purged'],
    },
    async ({ tx, params: { id }, principal, body }) => {
      await reprocessReceipt(tx, { tenant_id: principal.tenant_id, id }, body.reason)
      tx.wake(inbound_topic)
      return { id, status: 'received' as const }
    },
  ),
})
