/**
 * The endpoint tables of the interface specification as data, row by row and in its order. A row is what
 * the specification promises of one path: method, path, and, where its text says so, the rule for
 * `Idempotency-Key` and the statuses of success. There are 98 rows, and 96 routes: two tables name
 * `GET /v1/jobs/{job_id}` and two name `POST /v1/providers/{provider}/webhooks`, one route each.
 */
export type SurfaceName =
  | 'identity'
  | 'commerce'
  | 'social'
  | 'uploads'
  | 'notifications'
  | 'chat'
  | 'inference'
  | 'retrieval'
  | 'payments'
  | 'links'
  | 'jobs'
  | 'webhooks'

export type Endpoint = {
  readonly surface: SurfaceName
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'WS'
  readonly path: string
  /** What the row says of `Idempotency-Key`; null where it says nothing. */
  readonly idempotency: 'required' | 'optional' | null
  /** The statuses that the row gives for success; absent where it gives none. */
  readonly statuses?: readonly number[]
}

type Row = readonly [
  method: Endpoint['method'],
  path: string,
  idempotency?: Endpoint['idempotency'],
  ...statuses: number[],
]

const tables: Readonly<Record<SurfaceName, readonly Row[]>> = {
  identity: [
    ['POST', '/v1/accounts'],
    ['POST', '/v1/sessions'],
    ['POST', '/v1/sessions/{session_id}/refresh'],
    ['DELETE', '/v1/sessions/{session_id}'],
    ['DELETE', '/v1/accounts/{account_id}/sessions'],
    ['POST', '/v1/password-reset-requests'],
    ['POST', '/v1/password-resets'],
    ['POST', '/v1/mfa/challenges'],
    ['POST', '/v1/mfa/challenges/{challenge_id}/verify'],
    ['GET', '/v1/me'],
    ['GET', '/.well-known/jwks.json'],
  ],
  commerce: [
    ['GET', '/v1/products'],
    ['GET', '/v1/products/{product_id}'],
    ['PUT', '/v1/carts/{cart_id}/items/{sku}'],
    ['GET', '/v1/carts/{cart_id}'],
    ['POST', '/v1/checkouts', 'required'],
    ['GET', '/v1/orders/{order_id}'],
    ['POST', '/v1/orders/{order_id}/cancel', 'required'],
    ['POST', '/v1/returns', 'required'],
  ],
  social: [
    ['POST', '/v1/posts'],
    ['GET', '/v1/posts/{post_id}'],
    ['DELETE', '/v1/posts/{post_id}'],
    ['PUT', '/v1/users/{user_id}/following/{target_id}'],
    ['DELETE', '/v1/users/{user_id}/following/{target_id}'],
    ['GET', '/v1/users/{user_id}/posts'],
    ['GET', '/v1/feed'],
    ['PUT', '/v1/posts/{post_id}/likes/me'],
    ['DELETE', '/v1/posts/{post_id}/likes/me'],
    ['POST', '/v1/posts/{post_id}/comments'],
  ],
  uploads: [
    ['POST', '/v1/uploads'],
    ['POST', '/v1/uploads/{upload_id}/parts'],
    ['POST', '/v1/uploads/{upload_id}/complete', null, 202],
    ['GET', '/v1/uploads/{upload_id}'],
    ['DELETE', '/v1/uploads/{upload_id}'],
    ['GET', '/v1/files/{file_id}/download-url'],
  ],
  notifications: [
    ['POST', '/v1/notifications', 'required'],
    ['POST', '/v1/notifications/batches'],
    ['GET', '/v1/notifications/{id}'],
    ['POST', '/v1/notifications/{id}/cancel'],
    ['PUT', '/v1/users/{user_id}/preferences'],
    ['POST', '/v1/providers/{provider}/webhooks'],
  ],
  chat: [
    ['POST', '/v1/conversations'],
    ['GET', '/v1/conversations'],
    ['GET', '/v1/conversations/{id}/messages'],
    ['POST', '/v1/conversations/{id}/messages', 'required'],
    ['POST', '/v1/attachments/uploads'],
    ['GET', '/v1/realtime-token'],
    ['WS', '/v1/realtime'],
  ],
  inference: [
    ['POST', '/v1/inferences'],
    ['POST', '/v1/inferences:stream'],
    ['POST', '/v1/inference-jobs', 'required', 202],
    ['GET', '/v1/inference-jobs/{job_id}'],
    ['POST', '/v1/inference-jobs/{job_id}/cancel'],
    ['GET', '/v1/models'],
    ['POST', '/v1/generations'],
    ['POST', '/v1/generations/stream'],
    ['POST', '/v1/reports', 'required', 202],
    ['GET', '/v1/jobs/{job_id}'],
    ['POST', '/webhooks/{provider}', null, 204],
  ],
  retrieval: [
    ['POST', '/v1/collections'],
    ['POST', '/v1/collections/{collection_id}/documents'],
    ['POST', '/v1/collections/{collection_id}/connectors'],
    ['GET', '/v1/ingestion-jobs/{job_id}'],
    ['DELETE', '/v1/documents/{document_id}'],
    ['POST', '/v1/collections/{collection_id}/reindex'],
    ['POST', '/v1/answers'],
    ['POST', '/v1/answers:stream'],
    ['GET', '/v1/answers/{answer_id}'],
  ],
  payments: [
    ['POST', '/v1/payment-intents', 'required'],
    ['GET', '/v1/payment-intents/{id}'],
    ['POST', '/v1/payment-intents/{id}/authorize', 'required'],
    ['POST', '/v1/payment-intents/{id}/capture', 'required'],
    ['POST', '/v1/payment-intents/{id}/cancel', 'required'],
    ['POST', '/v1/refunds', 'required'],
    ['GET', '/v1/refunds/{id}'],
    ['POST', '/v1/providers/{provider}/webhooks'],
  ],
  links: [
    ['POST', '/v1/links', 'optional'],
    ['GET', '/v1/links/{code}'],
    ['PATCH', '/v1/links/{code}'],
    ['DELETE', '/v1/links/{code}'],
    ['GET', '/{code}', null, 301, 302, 307, 308],
    ['GET', '/v1/links/{code}/stats'],
    ['POST', '/v1/domains'],
  ],
  jobs: [
    ['POST', '/v1/jobs', 'required', 202],
    ['GET', '/v1/jobs/{job_id}'],
    ['GET', '/v1/jobs'],
    ['POST', '/v1/jobs/{job_id}/cancel'],
    ['POST', '/v1/jobs/{job_id}/retry'],
    ['GET', '/v1/jobs/{job_id}/result-url'],
    ['POST', '/v1/job-types/{type}/pause'],
  ],
  webhooks: [
    ['POST', '/v1/inbound/{provider}/{account_ref}'],
    ['POST', '/v1/webhook-subscriptions'],
    ['POST', '/v1/webhook-subscriptions/{id}/verify'],
    ['PATCH', '/v1/webhook-subscriptions/{id}'],
    ['DELETE', '/v1/webhook-subscriptions/{id}'],
    ['GET', '/v1/webhook-deliveries'],
    ['POST', '/v1/webhook-deliveries/{id}/replay'],
    ['GET', '/v1/webhook-events/{event_id}'],
  ],
}

export const contractTable: readonly Endpoint[] = (Object.keys(tables) as SurfaceName[]).flatMap(
  surface =>
    tables[surface].map(([method, path, idempotency = null, ...statuses]) => ({
      surface,
      method,
      path,
      idempotency,
      ...(statuses.length > 0 && { statuses }),
    })),
)
