/**
 * The endpoints of the specification that no route answers yet, as `METHOD path`. The contract test
 * holds the list honest: a built endpoint must leave it, and nothing else may be missing.
 */
export const notYetBuilt: readonly string[] = [
  // retrieval
  'POST /v1/collections',
  'POST /v1/collections/{collection_id}/documents',
  'POST /v1/collections/{collection_id}/connectors',
  'GET /v1/ingestion-jobs/{job_id}',
  'DELETE /v1/documents/{document_id}',
  'POST /v1/collections/{collection_id}/reindex',
  'POST /v1/answers',
  'POST /v1/answers:stream',
  'GET /v1/answers/{answer_id}',
]
