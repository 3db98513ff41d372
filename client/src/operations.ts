/** The operations that take an Idempotency-Key; generate.ts writes this file. */
export const keyed: Readonly<Record<string, true>> = {
  'POST /v1/event-parks/{id}/retry': true,
  'POST /v1/event-parks/{id}/skip': true,
  'POST /v1/job-batches': true,
  'POST /v1/job-redrives': true,
  'POST /v1/jobs': true,
  'POST /v1/jobs/{job_id}/cancel': true,
  'POST /v1/jobs/{job_id}/retry': true,
}
