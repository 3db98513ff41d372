/**
 * Routes of receipts. The bytes have their own route, because they come from the provider and may
 * be large.
 */
import { page } from '../../../../kernel/http/page.ts'
import { reply } from '../../../../kernel/http/reply.ts'
import { routesOf } from '../../../../kernel/http/routes-of.ts'
import {
  Receipt,
  ReceiptPage,
  ReceiptPayload,
  ReceiptQuery,
  Reprocess,
  Reprocessed,
} from '../schemas.ts'
import { inbound_topic } from '../processing/process-receipts.ts'
import { findReceipt, listReceipts, readPayload } from './read-receipts.ts'
import { reprocessReceipt } from './reprocess-receipt.ts'

const path = '/v1/inbound-receipts'

const { open, get, post } = routesOf({
  absent: 'inbound_receipt_not_found',
  read: 'webhooks.inbound_receipts.read',
  write: 'webhooks.inbound_receipts.reprocess',
  added: true,
})

export const receiptRoutes = open({
  listInboundReceipts: get(
    path,
    'List received webhooks, newest first',
    { query: ReceiptQuery, reply: ReceiptPage },
    async ({ tx, principal: { tenant_id }, query, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Receipt,
        place: ['id'],
        fetch: (after, n) => listReceipts(tx, { tenant_id, after: after.id, fetch: n }, query),
      })
      return reply(200, body, headers)
    },
  ),

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
    { reply: ReceiptPayload, fails: ['payload_purged'] },
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
