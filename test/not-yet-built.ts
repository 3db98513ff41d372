/**
 * The endpoints of the specification that no route answers yet, as `METHOD path`. The contract test
 * holds the list honest: a built endpoint must leave it, and nothing else may be missing.
 */
export const notYetBuilt: readonly string[] = [
  // inference
  'POST /v1/inferences',
  'POST /v1/inferences:stream',
  'POST /v1/inference-jobs',
  'GET /v1/inference-jobs/{job_id}',
  'POST /v1/inference-jobs/{job_id}/cancel',
  'GET /v1/models',
  'POST /v1/generations',
  'POST /v1/generations/stream',
  'POST /v1/reports',
  'POST /webhooks/{provider}',
]
