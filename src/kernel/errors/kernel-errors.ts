/**
 * The refusals of the kernel. Each has its meaning, its reason and the next step for the caller.
 */
import { accessErrors } from './access-errors.ts'
import { listErrors } from './list-errors.ts'

export type ErrorEntry = {
  readonly status: number
  readonly title: string
  /** Whether an unchanged request may succeed later. */
  readonly retryable?: true
  /** The reason, in one or two sentences. */
  readonly cause?: string
  /** The next step for the caller. */
  readonly cure?: string
  /** Seconds of `Retry-After`, where the refusal has no better estimate. */
  readonly retry_after?: number
  /**
   * Unique indexes and other constraints, by name. An operation that names the code in `fails` and
   * violates one of them is refused with it.
   */
  readonly violated?: readonly string[]
}

export const kernelErrors = {
  malformed_request: {
    status: 400,
    title: 'The request is malformed',
    cause: 'The request breaks a rule of HTTP or a limit on its size or nesting.',
    cure: 'Compare it with the example of the operation in the reference, and change it.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    cause: 'The body could not be read as JSON in UTF-8.',
    cure: 'Let a library write the JSON. The detail names the line and the column of the error.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list',
    cause: 'The cursor was changed, comes from another list, or the filters are not the same.',
    cure: 'Send `next_cursor` as it came and with the same filters, or begin without a cursor.',
  },
  websocket_upgrade_required: {
    status: 400,
    title: 'This address is a WebSocket',
    cause: 'Only the handshake of a WebSocket is answered here.',
    cure: 'Connect with a WebSocket client.',
  },
  invalid_header: {
    status: 400,
    title: 'A header is malformed',
    cause: 'A header does not have the form that it must have.',
    cure: 'Send an ETag as it came, with its double quotes: `If-Match: "3"`.',
  },
  idempotency_key_missing: {
    status: 400,
    title: 'This operation needs an Idempotency-Key',
    cause: 'The operation has an effect that must not happen twice, and the request has no key.',
    cure: 'Send the header `Idempotency-Key` with a new random UUID; a retry sends the same one.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'An Idempotency-Key has 16 to 200 visible characters and no white space',
    cause: 'The key is too short, too long or has a character that is not visible ASCII.',
    cure: 'Send a random UUID as the key: 36 characters, new for each intent.',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature does not match',
    cause: 'The message was signed with another secret, or its bytes changed on the way.',
    cure: 'Sign the exact bytes of the body with the current secret.',
  },
  timestamp_out_of_window: {
    status: 401,
    title: 'The message is too old or too new',
    cause: 'The time in the signature is too far from the time of the platform.',
    cure: 'Set the clock of the sender, and sign the message again.',
  },
  mfa_enrollment_required: {
    status: 403,
    title: 'A second factor is required',
    cause:
      'The permission counts only in a session with a second factor, and the account has no factor.',
    cure: 'Add a factor with `POST /v1/mfa/methods` and confirm it, then repeat the request.',
  },
  step_up_required: {
    status: 403,
    title: 'A fresh or stronger authentication is required',
    cause: 'The last login is too long ago, or it had no second factor.',
    cure: 'Complete a challenge of `POST /v1/mfa/challenges`, or log in again, then repeat the request.',
  },
  signed_url_invalid: {
    status: 403,
    title: 'The signed URL is not valid',
    cause: 'The URL was changed after it was signed.',
    cure: 'Ask for a new URL, and use it unchanged.',
  },
  signed_url_expired: {
    status: 403,
    title: 'The signed URL has expired',
    cause: 'A signed URL is valid for a short time only.',
    cure: 'Ask for a new URL, and use it at once.',
  },
  not_found: {
    status: 404,
    title: 'The resource was not found',
    cause: 'No resource has this address, or you may not see it.',
    cure: 'Check the path and the ids in it.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not supported here',
    cause: 'The path exists, but not with this method.',
    cure: 'Use one of the methods in the header `Allow`.',
  },
  not_acceptable: {
    status: 406,
    title: 'No acceptable representation exists',
    cause: 'The header `Accept` excludes every media type of this operation.',
    cure: 'Accept `application/json`, or leave the header out.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    retryable: true,
    cause: 'The body did not arrive within the time of this operation.',
    cure: 'Send the request again over a better connection, or send less at once.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with the current state',
    cause:
      'Another request changed the resource in between, or its state does not allow this request.',
    cure: 'Read the resource again, then decide.',
  },
  already_exists: {
    status: 409,
    title: 'The resource exists already',
    cause: 'A resource with this name or key exists.',
    cure: 'Use the one that exists, or choose another name.',
  },
  invalid_transition: {
    status: 409,
    title: 'The current state does not allow this change',
    cause: 'The resource is in a state from which this change is not possible.',
    cure: 'Read the resource; `current_state` names the state that it has.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'This Idempotency-Key was used for a different request',
    cause: 'A key stands for one request with one body. This one came with another body before.',
    cure: 'Use a new key for each intent. Only a retry of the same request uses the same key.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    retryable: true,
    cause: 'The first request with this key has not ended.',
    cure: 'Repeat the request with the same key. You then get the outcome of the first one.',
  },
  precondition_failed: {
    status: 412,
    title: 'The version is not the current one',
    cause: 'The resource has changed since the version in `If-Match`, or it does not exist.',
    cure: 'Read the resource again, apply your change, and send its ETag as `If-Match`.',
  },
  content_too_large: {
    status: 413,
    title: 'The content is too large',
    cause: 'The body has more bytes or members than this operation accepts.',
    cure: 'Send less at once. `GET /v1/limits` names the limits.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    cause: 'The header `Content-Type` names a media type that this operation does not accept.',
    cure: 'Send `Content-Type: application/json`.',
  },
  event_type_unknown: {
    status: 422,
    title: 'An event type does not exist',
    cause: 'No event of this type is announced, or the type was archived.',
    cure: 'See the types with `GET /v1/event-types`.',
  },
  validation_failed: {
    status: 422,
    title: 'The content does not match its schema',
    cause: 'A value is missing, has the wrong kind or breaks a bound.',
    cure: 'Change the fields that `errors` names; each entry has a pointer and the rule.',
  },
  unsupported_field: {
    status: 422,
    title: 'A member or parameter is not known here',
    cause:
      'The operation does not have the member or the parameter. Without a refusal you would believe that it has an effect.',
    cure: 'Use what the detail names instead, or leave it out if you can do without it.',
  },
  invalid_character: {
    status: 422,
    title: 'A text contains a character that cannot be stored',
    cause: 'The character U+0000 and halves of surrogate pairs cannot be stored.',
    cure: 'Remove the character from the text that `errors` names.',
  },
  ...accessErrors,
  ...listErrors,
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    cause: 'The caller has sent more requests than the limit in `RateLimit-Policy` allows.',
    cure: 'Wait as long as `Retry-After` says, then send the request again.',
  },
  quota_exceeded: {
    status: 429,
    title: 'The quota is exhausted',
    cause: 'The tenant or the account has as many of these as it may have.',
    cure: 'Remove some of them, or ask an operator for a larger quota.',
  },
  internal_error: {
    status: 500,
    title: 'The platform has an internal fault',
    retryable: true,
    cause: 'The platform has a fault. Its log has the cause under the request id.',
    cure: 'Send the request again. If it fails again, report `request_id` to the operator.',
  },
  upstream_invalid_response: {
    status: 502,
    title: 'An upstream sent an invalid response',
    retryable: true,
    cause: 'A service that the platform calls sent a reply that cannot be read.',
    cure: 'Send the request again later, with the same key.',
  },
  service_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    retryable: true,
    retry_after: 5,
    cause: 'The database, or a service that the platform calls, is not available at the moment.',
    cure: 'Send the request again after the time in `Retry-After`, with the same key.',
  },
  storage_full: {
    status: 503,
    title: 'There is not enough storage space',
    retryable: true,
    cause: 'The disk or the object store of the platform is full.',
    cure: 'Tell the operator, and send the request again later.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The object store is not available',
    retryable: true,
    retry_after: 5,
    cause: 'Files cannot be read or written at the moment.',
    cure: 'Send the request again after the time in `Retry-After`.',
  },
  overloaded: {
    status: 503,
    title: 'The process is overloaded',
    retryable: true,
    cause: 'The process has more requests than it can handle in time.',
    cure: 'Send the request again after the time in `Retry-After`.',
  },
  capacity_exceeded: {
    status: 503,
    title: 'No capacity became free in time',
    retryable: true,
    cause: 'No free capacity was found within the time of the request.',
    cure: 'Send the request again later.',
  },
  shutting_down: {
    status: 503,
    title: 'This process is stopping',
    retryable: true,
    cause: 'The process finishes the requests that it has, and takes no new ones.',
    cure: 'Send the request again; another process will handle it.',
  },
  upstream_timeout: {
    status: 504,
    title: 'An upstream did not answer in time',
    retryable: true,
    cause: 'A service that the platform calls was too slow.',
    cure: 'Send the request again later, with the same key.',
  },
} as const satisfies Record<string, ErrorEntry>
