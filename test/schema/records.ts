/**
 * The records of the interface specification with their fields, as it names them. The database has a
 * table or a view of that name with at least these columns; the event log is the kernel's.
 */
export type SpecifiedRecord = { readonly name: string; readonly fields: readonly string[] }

const text = `
  identity.accounts: id tenant_id email_normalized status verified_at created_at
  identity.credentials: account_id password_hash password_changed_at
  identity.sessions: id account_id token_family_id created_at last_seen_at expires_at
    revoked_at client_metadata
  identity.refresh_tokens: id_hash session_id parent_id_hash used_at expires_at
  identity.mfa_methods: id account_id type encrypted_secret_or_public_key status
  identity.one_time_challenges: id_hash account_id purpose expires_at consumed_at
  identity.role_assignments: account_id tenant_id role_id
  identity.security_events: id account_id action actor safe_context occurred_at
  commerce.inventory_items: sku on_hand reserved version
  commerce.inventory_reservations: id order_id sku quantity expires_at state
  social.users: id privacy_state profile_version
  social.follows: follower_id followed_id state created_at
  social.blocks: blocker_id blocked_id
  social.posts: id author_id body_ref visibility created_at deleted_at version
  social.post_media: post_id object_id position
  social.likes: post_id user_id created_at
  social.comments: id post_id author_id body created_at deleted_at
  social.feed_entries: user_id rank_or_time post_id source_author_id
  social.counter_projections: subject_type subject_id kind value updated_at
  uploads.uploads: id tenant_id owner_id purpose storage_key expected_size expected_checksum
    claimed_type detected_type state multipart_upload_id expires_at created_at
  uploads.upload_parts: upload_id part_number etag size
  uploads.files: id upload_id storage_version state scan_result metadata available_at
    retention_until deleted_at
  uploads.derivatives: id file_id kind storage_key state
  uploads.processing_attempts: id file_id stage status error_code started_at
  notifications.notification_intents: id tenant_id recipient_ref category priority
    template_version locale data_ref scheduled_at idempotency_key state expires_at
  notifications.delivery_attempts: id intent_id channel provider attempt_no state
    provider_message_id next_attempt_at error_code
  notifications.templates: id tenant_id name version channel subject body status
  notifications.preferences: user_id category channel enabled quiet_hours timezone
  notifications.suppressions: destination_hash channel reason effective_at
  notifications.provider_events: provider event_id provider_message_id type occurred_at
  chat.conversations: id type created_at latest_sequence
  chat.conversation_members: conversation_id user_id role joined_sequence left_sequence
    last_read_sequence
  chat.messages: id conversation_id sequence sender_id client_request_id body_cipher_or_ref
    created_at edited_at deleted_at
  chat.message_versions: message_id version body_ref edited_at
  chat.attachments: id message_id file_id state
  chat.devices: id user_id push_token_ref last_seen_at
  inference.model_deployments: id provider model_name version capability state region
    max_context policy_version
  inference.inference_operations: id tenant_id actor_id idempotency_key model_deployment_id
    request_fingerprint state input_ref output_ref prompt_version created_at started_at
    completed_at deadline_at
  inference.usage_records: operation_id input_units output_units compute_ms cost_amount
    currency measured_at
  inference.inference_attempts: id operation_id deployment_id attempt state
    provider_request_id error_code latency_ms
  inference.safety_decisions: operation_id policy_version category decision
  inference.generation_usage: tenant_id principal_id workload provider model_snapshot
    prompt_version provider_request_id input_tokens cached_input_tokens output_tokens
    estimated_cost_minor_units started_at completed_at status
  retrieval.collections: id tenant_id name embedding_profile access_policy_version
  retrieval.documents: id collection_id source_uri source_version checksum state metadata
    created_at deleted_at
  retrieval.document_acl: document_id principal_or_group permission version
  retrieval.ingestion_jobs: id document_id pipeline_version state stage checkpoint error_code
    created_at completed_at
  retrieval.chunks: id document_id document_version ordinal text_ref token_count metadata
    content_hash pipeline_version
  retrieval.embedding_records: chunk_id embedding_model_version vector_ref state
  retrieval.answers: id tenant_id actor_id query_hash retrieval_version prompt_version
    model_version response_ref usage created_at
  retrieval.citations: answer_id chunk_id document_version quoted_range rank
  payments.payment_intents: id merchant_id order_ref amount_minor currency state provider
    provider_customer_ref version created_at
  payments.payment_operations: id intent_id type idempotency_key request_fingerprint state
    provider_operation_id amount_minor attempt_count created_at resolved_at
  payments.refunds: id intent_id operation_id amount_minor state
  payments.ledger_accounts: id owner_type owner_id currency type
  payments.ledger_transactions: id operation_id effective_at description
  payments.ledger_entries: transaction_id account_id direction amount_minor
  payments.provider_events: provider event_id received_at processed_at
  payments.reconciliation_items: id provider external_ref local_ref state discrepancy
  links.links: domain_id code owner_id destination_url state created_at expires_at
    destination_version safety_state
  links.domains: id owner_id hostname verification_token_hash state
  links.idempotency_records: owner_id key request_fingerprint link_code
  links.click_events: event_id domain_id code occurred_at coarse_context
  links.daily_link_stats: domain_id code day clicks bounded_dimensions
  jobs.jobs: id tenant_id type schema_version state priority input_ref result_ref
    idempotency_key request_fingerprint scheduled_at deadline_at cancel_requested_at
    created_at completed_at version
  jobs.job_attempts: id job_id attempt_no worker_id lease_token state leased_until
    heartbeat_at started_at completed_at error_code
  jobs.job_progress: job_id sequence stage current total message_code recorded_at
  jobs.job_dependencies: job_id depends_on_job_id required_state
  jobs.job_events: id job_id sequence type data occurred_at
  jobs.worker_capabilities: worker_id queue capability version last_seen_at
  webhooks.inbound_receipts: provider provider_account provider_event_id payload_ref
    signature_key_version received_at processing_state processed_at
  kernel.events: id tenant_id type schema_version aggregate_id aggregate_version payload_ref
    occurred_at created_at
  webhooks.subscriptions: id tenant_id endpoint event_filter state secret_ciphertext
    secret_version api_version created_at
  webhooks.deliveries: id event_id subscription_id state attempt_count next_attempt_at
    lease_token last_http_status last_error_code completed_at
  webhooks.delivery_attempts: id delivery_id attempt_no started_at duration_ms http_status
    error_code response_excerpt
`

export const records: readonly SpecifiedRecord[] = text
  .split(/\n(?! {4})/)
  .filter(line => line.includes(':'))
  .map(line => {
    const [name = '', fields = ''] = line.split(':')
    return { name: name.trim(), fields: fields.trim().split(/\s+/) }
  })
