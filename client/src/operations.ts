/** The operations that take an Idempotency-Key; generate.ts writes this file. */
export const keyed: Readonly<Record<string, true>> = {
  'POST /v1/event-parks/{id}/retry': true,
  'POST /v1/event-parks/{id}/skip': true,
  'POST /v1/inbound-receipts/{id}/reprocess': true,
  'POST /v1/job-batches': true,
  'POST /v1/job-redrives': true,
  'POST /v1/jobs': true,
  'POST /v1/jobs/{job_id}/cancel': true,
  'POST /v1/jobs/{job_id}/retry': true,
  'POST /v1/link-blocklist': true,
  'POST /v1/link-stats/rebuilds': true,
  'POST /v1/links': true,
  'POST /v1/links/batches': true,
  'POST /v1/webhook-deliveries/{id}/replay': true,
  'POST /v1/webhook-subscriptions': true,
  'POST /v1/webhook-subscriptions/{id}/replay': true,
  'POST /v1/webhook-subscriptions/{id}/test': true,
}
