/**
 * Routes of receipts. The bytes have their own route, because they come from the provider and may
 * be large.
 */
import { page } from '../../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../../kernel/http/route.ts'
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
const absent = 'inbound_receipt_not_found'
const read = { permission: 'webhooks.inbound_receipts.read', added: true } as const

export function receiptRoutes(): readonly Route[] {
  return [listRoute(), getRoute(), payloadRoute(), reprocessRoute()]
}

function listRoute(): Route {
  return route({
    ...read,
    method: 'GET',
    path,
    name: 'listInboundReceipts',
    summary: 'List received webhooks, newest first',
    query: ReceiptQuery,
    replies: { 200: ReceiptPage },
    handle: async ({ tx, principal: { tenant_id }, query, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Receipt,
        place: ['id'],
        fetch: (after, n) => listReceipts(tx, { tenant_id, after: after.id, fetch: n }, query),
      })
      return reply(200, body, headers)
    },
  })
}

function getRoute(): Route {
  return route({
    ...read,
    method: 'GET',
    path: `${path}/{id}`,
    name: 'getInboundReceipt',
    summary: 'Get a received webhook and the result of its processing',
    absent,
    replies: { 200: Receipt },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal: { tenant_id } }) =>
      reply(200, await findReceipt(tx, { tenant_id, id })),
  })
}

function payloadRoute(): Route {
  return route({
    ...read,
    method: 'GET',
    path: `${path}/{id}/payload`,
    name: 'getInboundPayload',
    summary: 'Download the bytes of a received webhook',
    absent,
    replies: { 200: ReceiptPayload },
    fails: [absent, 'payload_purged'],
    handle: async ({ tx, params: { id }, principal: { tenant_id } }) =>
      reply(200, await readPayload(tx, { tenant_id, id })),
  })
}

function reprocessRoute(): Route {
  return route({
    method: 'POST',
    path: `${path}/{id}/reprocess`,
    name: 'reprocessInboundReceipt',
    summary: 'Process a received webhook again',
    sends: ['location'],
    permission: 'webhooks.inbound_receipts.reprocess',
    added: true,
    idempotency: 'optional',
    absent,
    body: Reprocess,
    replies: { 202: Reprocessed },
    fails: [absent, 'invalid_transition', 'payload_purged'],
    handle: async ({ tx, params: { id }, principal, body }) => {
      const { tenant_id } = principal
      await reprocessReceipt(tx, { tenant_id, id }, { actor: principal.id, reason: body.reason })
      tx.wake(inbound_topic)
      return reply(202, { id, status: 'received' as const }, { location: `${path}/${id}` })
    },
  })
}
