/** The operations that take an Idempotency-Key, and the error codes; generate.ts writes this file. */
export const keyed: Readonly<Record<string, true>> = {
  'POST /v1/answers': true,
  'POST /v1/answers:stream': true,
  'POST /v1/attachments/uploads': true,
  'POST /v1/carts': true,
  'POST /v1/checkouts': true,
  'POST /v1/collections': true,
  'POST /v1/collections/{collection_id}/connectors': true,
  'POST /v1/collections/{collection_id}/documents': true,
  'POST /v1/collections/{collection_id}/evaluations': true,
  'POST /v1/collections/{collection_id}/index-versions/{version}/activate': true,
  'POST /v1/collections/{collection_id}/reindex': true,
  'POST /v1/connectors/{connector_id}/sync': true,
  'POST /v1/conversations': true,
  'POST /v1/conversations/{id}/members': true,
  'POST /v1/conversations/{id}/messages': true,
  'POST /v1/event-parks/{id}/retry': true,
  'POST /v1/event-parks/{id}/skip': true,
  'POST /v1/files/{file_id}/rescan': true,
  'POST /v1/generations': true,
  'POST /v1/generations/stream': true,
  'POST /v1/inbound-receipts/{id}/reprocess': true,
  'POST /v1/inference-jobs': true,
  'POST /v1/inference-jobs/{job_id}/cancel': true,
  'POST /v1/inferences': true,
  'POST /v1/inferences/{id}/cancel': true,
  'POST /v1/inferences:stream': true,
  'POST /v1/ingestion-jobs/{job_id}/cancel': true,
  'POST /v1/ingestion-jobs/{job_id}/retry': true,
  'POST /v1/inventory/{sku}/adjustments': true,
  'POST /v1/job-batches': true,
  'POST /v1/job-redrives': true,
  'POST /v1/jobs': true,
  'POST /v1/jobs/{job_id}/cancel': true,
  'POST /v1/jobs/{job_id}/retry': true,
  'POST /v1/link-blocklist': true,
  'POST /v1/link-stats/rebuilds': true,
  'POST /v1/links': true,
  'POST /v1/links/batches': true,
  'POST /v1/model-prices': true,
  'POST /v1/models': true,
  'POST /v1/moderation/cases/{case_id}/actions': true,
  'POST /v1/moderation/cases/{case_id}/appeal': true,
  'POST /v1/moderation/reports': true,
  'POST /v1/notification-templates': true,
  'POST /v1/notification-templates/{name}/versions/{version}/archive': true,
  'POST /v1/notification-templates/{name}/versions/{version}/publish': true,
  'POST /v1/notifications': true,
  'POST /v1/notifications/batches/{id}/cancel': true,
  'POST /v1/notifications/batches/{id}/pause': true,
  'POST /v1/notifications/batches/{id}/resume': true,
  'POST /v1/notifications/{id}/cancel': true,
  'POST /v1/orders/{order_id}/cancel': true,
  'POST /v1/orders/{order_id}/shipments': true,
  'POST /v1/payment-intents': true,
  'POST /v1/payment-intents/{id}/authorize': true,
  'POST /v1/payment-intents/{id}/cancel': true,
  'POST /v1/payment-intents/{id}/capture': true,
  'POST /v1/posts': true,
  'POST /v1/posts/{post_id}/comments': true,
  'POST /v1/price-versions': true,
  'POST /v1/products': true,
  'POST /v1/reconciliation-items/{id}/resolve': true,
  'POST /v1/reconciliation-runs': true,
  'POST /v1/refunds': true,
  'POST /v1/reports': true,
  'POST /v1/returns': true,
  'POST /v1/returns/{return_id}/approve': true,
  'POST /v1/returns/{return_id}/cancel': true,
  'POST /v1/returns/{return_id}/receive': true,
  'POST /v1/returns/{return_id}/reject': true,
  'POST /v1/returns/{return_id}/retry-refund': true,
  'POST /v1/shipments/{shipment_id}/delivered': true,
  'POST /v1/shipments/{shipment_id}/lost': true,
  'POST /v1/suppressions': true,
  'POST /v1/uploads': true,
  'POST /v1/users/me/follow-requests/{follower_id}/accept': true,
  'POST /v1/users/me/follow-requests/{follower_id}/reject': true,
  'POST /v1/users/{user_id}/destinations': true,
  'POST /v1/webhook-deliveries/{id}/replay': true,
  'POST /v1/webhook-subscriptions': true,
  'POST /v1/webhook-subscriptions/{id}/replay': true,
  'POST /v1/webhook-subscriptions/{id}/test': true,
}

export type ProblemCode =
  | 'account_not_found'
  | 'account_private'
  | 'account_suspended'
  | 'address_required'
  | 'alias_invalid'
  | 'alias_reserved'
  | 'alias_taken'
  | 'already_appealed'
  | 'already_exists'
  | 'already_member'
  | 'already_resolved'
  | 'amount_ambiguous'
  | 'amount_exceeds_capturable'
  | 'amount_not_representable'
  | 'amount_precision'
  | 'amount_too_large'
  | 'amount_too_small'
  | 'answer_not_found'
  | 'answer_sources_changed'
  | 'api_key_not_found'
  | 'api_version_unsupported'
  | 'appeal_window_closed'
  | 'attachment_not_ready'
  | 'attempt_finished'
  | 'authentication_required'
  | 'authorization_expired'
  | 'balance_insufficient'
  | 'batch_line_invalid'
  | 'batch_not_found'
  | 'blocked_by_you'
  | 'blocklist_entry_exists'
  | 'blocklist_entry_not_found'
  | 'cannot_block_self'
  | 'cannot_follow_self'
  | 'capacity_exceeded'
  | 'card_data_refused'
  | 'cart_empty'
  | 'cart_line_limit'
  | 'cart_not_found'
  | 'cart_not_open'
  | 'category_built_in'
  | 'category_mandatory'
  | 'category_not_found'
  | 'channel_without_template'
  | 'checksum_mismatch'
  | 'code_invalid'
  | 'collection_name_taken'
  | 'collection_not_found'
  | 'comment_not_found'
  | 'completion_in_progress'
  | 'conflict'
  | 'connector_not_found'
  | 'content_blocked'
  | 'content_length_required'
  | 'context_length_exceeded'
  | 'conversation_closed'
  | 'conversation_not_found'
  | 'cooldown'
  | 'csrf_failed'
  | 'currency_unknown'
  | 'currency_unsupported'
  | 'deadline_in_past'
  | 'delivery_not_found'
  | 'dependency_cycle'
  | 'dependency_unknown'
  | 'derivative_not_found'
  | 'destination_blocked'
  | 'destination_not_allowed'
  | 'destination_not_found'
  | 'device_not_found'
  | 'direct_members_fixed'
  | 'discount_not_applicable'
  | 'discount_not_found'
  | 'dispute_not_found'
  | 'document_not_found'
  | 'document_too_large'
  | 'domain_exists'
  | 'domain_in_use'
  | 'domain_not_active'
  | 'domain_not_found'
  | 'domain_verification_failed'
  | 'duplicate_preference'
  | 'duty_conflict'
  | 'edit_window_closed'
  | 'effective_from_in_past'
  | 'email_change_not_found'
  | 'endpoint_not_allowed'
  | 'envelope_invalid'
  | 'event_not_found'
  | 'event_park_not_found'
  | 'event_type_unknown'
  | 'expires_at_invalid'
  | 'expiry_before_schedule'
  | 'external_identity_not_found'
  | 'external_identity_taken'
  | 'file_not_available'
  | 'file_not_found'
  | 'filter_not_allowed'
  | 'follow_limit_reached'
  | 'follow_request_not_found'
  | 'generation_not_configured'
  | 'group_too_large'
  | 'handle_taken'
  | 'hostname_invalid'
  | 'idempotency_in_progress'
  | 'idempotency_key_invalid'
  | 'idempotency_key_missing'
  | 'idempotency_key_reused'
  | 'image_not_available'
  | 'inbound_receipt_not_found'
  | 'inbound_source_not_found'
  | 'inbox_item_not_found'
  | 'index_unavailable'
  | 'index_version_not_found'
  | 'index_version_not_ready'
  | 'inference_cancelled'
  | 'inference_not_found'
  | 'input_not_available'
  | 'inputs_not_found'
  | 'insufficient_inventory'
  | 'intent_managed'
  | 'intent_not_captured'
  | 'invalid_character'
  | 'invalid_credentials'
  | 'invalid_cursor'
  | 'invalid_destination'
  | 'invalid_header'
  | 'invalid_quiet_hours'
  | 'invalid_refresh_token'
  | 'invalid_timezone'
  | 'invalid_token'
  | 'invalid_transition'
  | 'job_attempt_not_found'
  | 'job_not_ended'
  | 'job_not_found'
  | 'job_schedule_not_found'
  | 'job_type_not_found'
  | 'job_type_reserved'
  | 'last_credential'
  | 'last_operator'
  | 'lease_lost'
  | 'ledger_account_not_found'
  | 'ledger_transaction_not_found'
  | 'link_disabled'
  | 'link_disabled_by_safety'
  | 'link_exhausted'
  | 'link_expired'
  | 'link_not_found'
  | 'malformed_json'
  | 'malformed_request'
  | 'media_not_available'
  | 'member_not_found'
  | 'member_unknown'
  | 'message_deleted'
  | 'message_not_allowed'
  | 'message_not_found'
  | 'mfa_challenge_invalid'
  | 'mfa_challenge_not_found'
  | 'mfa_enrollment_required'
  | 'mfa_method_not_found'
  | 'mfa_verification_failed'
  | 'model_capability_unsupported'
  | 'model_not_found'
  | 'moderation_case_not_found'
  | 'not_a_member'
  | 'not_found'
  | 'notification_not_found'
  | 'oidc_provider_not_found'
  | 'oidc_state_invalid'
  | 'oidc_ticket_invalid'
  | 'one_time_token_invalid'
  | 'operation_pending'
  | 'order_not_cancellable'
  | 'order_not_confirmed'
  | 'order_not_found'
  | 'order_not_returnable'
  | 'order_not_shippable'
  | 'order_total_limit'
  | 'overloaded'
  | 'part_checksum_mismatch'
  | 'part_size_mismatch'
  | 'password_rejected'
  | 'pattern_invalid'
  | 'payload_purged'
  | 'payment_declined'
  | 'payment_intent_not_found'
  | 'payment_method_invalid'
  | 'payment_not_capturable'
  | 'payment_provider_unavailable'
  | 'payment_refused'
  | 'pending_order_limit'
  | 'permission_denied'
  | 'post_not_found'
  | 'price_unavailable'
  | 'price_version_exists'
  | 'pricing_changed'
  | 'product_not_found'
  | 'provider_not_found'
  | 'provider_unsupported'
  | 'push_host_not_allowed'
  | 'quantity_limit'
  | 'quota_exceeded'
  | 'quota_scope_not_found'
  | 'rate_limited'
  | 'reconciliation_item_not_found'
  | 'reconciliation_run_not_found'
  | 'redirect_status_unsafe'
  | 'redirect_uri_not_allowed'
  | 'refund_exceeds_captured'
  | 'refund_not_found'
  | 'registration_not_found'
  | 'reindex_in_progress'
  | 'reply_target_unknown'
  | 'request_not_found'
  | 'restocking_fee_exceeds_refund'
  | 'result_invalid'
  | 'result_not_found'
  | 'result_not_ready'
  | 'return_not_found'
  | 'return_quantity_exceeded'
  | 'role_not_found'
  | 'same_reviewer'
  | 'schedule_invalid'
  | 'schedule_out_of_range'
  | 'schema_immutable'
  | 'schema_invalid'
  | 'sequence_out_of_range'
  | 'service_unavailable'
  | 'session_not_found'
  | 'shipment_not_found'
  | 'shipment_quantity_exceeded'
  | 'shipping_method_not_found'
  | 'shipping_method_unavailable'
  | 'signature_invalid'
  | 'signed_url_expired'
  | 'signed_url_invalid'
  | 'signup_closed'
  | 'sku_not_found'
  | 'sku_taken'
  | 'step_up_required'
  | 'storage_full'
  | 'storage_unavailable'
  | 'subscription_not_active'
  | 'subscription_not_found'
  | 'suppression_not_found'
  | 'sync_in_progress'
  | 'tax_rule_not_found'
  | 'template_data_invalid'
  | 'template_not_found'
  | 'template_not_published'
  | 'template_render_failed'
  | 'template_syntax_error'
  | 'tenant_not_found'
  | 'timestamp_out_of_window'
  | 'token_not_found'
  | 'too_many_access_lists'
  | 'too_many_edits'
  | 'too_many_live_secrets'
  | 'too_many_recipients'
  | 'type_not_allowed'
  | 'unknown_category'
  | 'unknown_embedding_profile'
  | 'unknown_job_type'
  | 'unknown_permission'
  | 'unsupported_document_type'
  | 'unsupported_schema_version'
  | 'upload_not_found'
  | 'upload_parts_mismatch'
  | 'user_not_found'
  | 'validation_failed'
  | 'variant_not_purchasable'
  | 'verification_expired'
  | 'verification_failed'
  | 'version_conflict'
  | 'worker_not_found'
