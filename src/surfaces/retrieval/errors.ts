/**
 * The errors of retrieval. An object that the caller may not read gets the same error as a missing
 * object.
 */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  collection_not_found: {
    status: 404,
    title: 'There is no such collection',
    cause: 'No collection has this id, or its access list does not name you with the needed right.',
    cure: 'Find your collections with `GET /v1/collections`, or ask the person who manages it.',
  },
  document_not_found: {
    status: 404,
    title: 'There is no such document',
    cause: 'No document has this id, it was deleted, or its access list does not name you.',
    cure: 'Find documents with `GET /v1/collections/{collection_id}/documents`.',
  },
  connector_not_found: {
    status: 404,
    title: 'There is no such connector',
    cause: 'No connector that you may see has this id.',
    cure: 'Find the id with `GET /v1/collections/{collection_id}/connectors`.',
  },
  answer_not_found: {
    status: 404,
    title: 'There is no such answer',
    cause: 'No answer of yours has this id, or it was deleted.',
    cure: 'Use the `id` in the reply of `POST /v1/answers`.',
  },
  index_version_not_found: {
    status: 404,
    title: 'The collection has no such index version',
    cause: 'The collection never had this version, or its index was removed.',
    cure: 'Find the version with `GET /v1/collections/{collection_id}/index-versions`.',
  },
  job_not_found: {
    status: 404,
    title: 'There is no such job',
    cause: 'No job has this id, or you may not see it.',
    cure: 'Use the `job_id` in the reply that started the work.',
  },
  collection_name_taken: {
    status: 409,
    title: 'A collection has this name already',
    cause: 'Names of collections are unique in a tenant.',
    cure: 'Choose another name.',
    violated: ['collections_name'],
  },
  reindex_in_progress: {
    status: 409,
    title: 'The collection is being reindexed',
    cause: 'One index version of the collection is being built.',
    cure: 'Wait until that job has ended, or cancel it.',
    violated: ['index_versions_building'],
  },
  index_version_not_ready: {
    status: 409,
    title: 'The index version cannot be activated',
    cause: 'Only a version that is `ready`, or was `retired` at most 7 days ago, can be activated.',
    cure: 'See `state` of `GET /v1/collections/{collection_id}/index-versions`.',
  },
  job_not_ended: {
    status: 409,
    title: 'The job cannot be retried in its current state',
    cause: 'Only a job that failed or was cancelled can be retried.',
    cure: 'See `state` of `GET /v1/ingestion-jobs/{job_id}`.',
  },
  sync_in_progress: {
    status: 409,
    title: 'The connector is syncing',
    retryable: true,
    cause: 'A sync of this connector waits or runs.',
    cure: 'See its job, and send the request again when it has ended.',
  },
  answer_sources_changed: {
    status: 409,
    title: 'A document changed while the answer was written',
    retryable: true,
    cause:
      'A document that the answer used was changed or deleted, or you may not read it any more.',
    cure: 'Ask again.',
  },
  // The same text as in uploads, because uploads declares the code too.
  file_not_available: {
    status: 409,
    title: 'The file cannot be downloaded in its current state',
    cause: 'The file is still being checked, or the checks refused it.',
    cure: 'Ask again while `file_state` is `uploaded`; else `error_code` says why it was refused.',
  },
  unknown_embedding_profile: {
    status: 422,
    title: 'There is no such embedding profile',
    cause: 'No profile has this id, or it is not available here.',
    cure: 'Choose one of `GET /v1/embedding-profiles`.',
  },
  unsupported_document_type: {
    status: 422,
    title: 'Documents of this type cannot be read',
    cause: 'Text cannot be taken from files of this media type.',
    cure: 'Send plain text, Markdown, HTML, CSV, JSON, PDF, DOCX, PNG or JPEG.',
  },
  document_too_large: {
    status: 422,
    title: 'The document is too large',
    cause: 'The file has more bytes than a document may have.',
    cure: 'Split it into several documents.',
  },
  destination_blocked: {
    status: 422,
    title: 'The URL must not be fetched',
    cause: 'It leads to a private or local address, another port, or is no http(s) URL.',
    cure: 'Use a public URL, or let the operator allow the address.',
  },
  filter_not_allowed: {
    status: 422,
    title: 'This field cannot be filtered',
    cause: 'Filters narrow by metadata and source; tenant and access come from your identity.',
    cure: 'Filter by `metadata.<key>`, `document_id` or `source_kind`.',
  },
  too_many_access_lists: {
    status: 422,
    title: 'The collection has too many different access lists',
    cause: 'Documents of one collection have at most 10,000 different lists.',
    cure: 'Use roles instead of single people, or a second collection.',
  },
  generation_not_configured: {
    status: 422,
    title: 'No model writes answers here',
    cause: 'The operator has configured no provider of models.',
    cure: 'Use `answerer: "extractive"` or `"auto"`.',
  },
  index_unavailable: {
    status: 503,
    title: 'The search index does not answer',
    retryable: true,
    cause: 'The index of a collection could not be read.',
    cure: 'Send the request again later.',
  },
} as const

export const problem = problemsOf(errors)
