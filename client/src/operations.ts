/** The operations that take an Idempotency-Key; generate.ts writes this file. */
export const keyed: Readonly<Record<string, true>> = {
  'POST /v1/event-parks/{id}/retry': true,
  'POST /v1/event-parks/{id}/skip': true,
  'POST /v1/inbound-receipts/{id}/reprocess': true,
  'POST /v1/webhook-subscriptions': true,
  'POST /v1/webhook-subscriptions/{id}/test': true,
}
