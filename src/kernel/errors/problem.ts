/**
 * Every refusal is a value with a stable code. The code decides status and title, the details are safe
 * to show, and the cause goes to the log only, under the same request id. A code is declared once in a
 * catalog; throwing one that is not declared does not compile.
 */

export type ErrorEntry = {
  readonly status: number
  readonly title: string
  /** The same request may succeed later without a change. */
  readonly retryable?: true
  /** Why it happens, in one or two sentences; the page of the code shows it. */
  readonly cause?: string
  /** What the caller does next; it is also the `detail` where the thrower says nothing better. */
  readonly cure?: string
}

export type FieldError = {
  location: 'body' | 'query' | 'path' | 'header'
  pointer: string
  constraint: string
  params?: Record<string, unknown>
}

export type ProblemDetails = {
  /** One sentence for a person; clients branch on the code. */
  detail?: string
  errors?: readonly FieldError[]
  retry_after?: number
  current_state?: string
  /** Further members of the document, such as an id that the caller already knows. */
  more?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  readonly status: number
  readonly title: string
  readonly details: ProblemDetails

  constructor(code: string, entry: ErrorEntry, details: ProblemDetails, options?: ErrorOptions) {
    super(details.detail ?? entry.title, options)
    this.code = code
    this.status = entry.status
    this.title = entry.title
    this.details = details
  }
}

export const kernelErrors = {
  malformed_request: { status: 400, title: 'The request is malformed' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this list' },
  invalid_header: { status: 400, title: 'A header is malformed' },
  idempotency_key_missing: { status: 400, title: 'This operation needs an Idempotency-Key' },
  idempotency_key_invalid: {
    status: 400,
    title: 'An Idempotency-Key has 16 to 200 visible characters and no white space',
  },
  authentication_required: { status: 401, title: 'Authentication is required' },
  invalid_token: { status: 401, title: 'The credential is not valid' },
  signature_invalid: { status: 401, title: 'The signature does not match' },
  timestamp_out_of_window: { status: 401, title: 'The message is too old or too new' },
  permission_denied: { status: 403, title: 'This action is not allowed' },
  csrf_failed: { status: 403, title: 'The request may not come from this site' },
  step_up_required: { status: 403, title: 'A fresh or stronger authentication is required' },
  signed_url_invalid: { status: 403, title: 'The signed address is not valid' },
  signed_url_expired: { status: 403, title: 'The signed address has expired' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'The method is not supported here' },
  not_acceptable: { status: 406, title: 'No acceptable representation exists' },
  request_timeout: { status: 408, title: 'The request took too long to arrive', retryable: true },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  already_exists: { status: 409, title: 'It exists already' },
  invalid_transition: { status: 409, title: 'The current state does not allow this' },
  idempotency_key_reused: {
    status: 409,
    title: 'This Idempotency-Key was used for a different request',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    retryable: true,
  },
  precondition_failed: { status: 412, title: 'The version is not the current one' },
  content_too_large: { status: 413, title: 'The content is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  validation_failed: { status: 422, title: 'The content does not fit its schema' },
  invalid_character: { status: 422, title: 'A text contains a character that cannot be stored' },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  quota_exceeded: { status: 429, title: 'The quota is exhausted' },
  internal_error: { status: 500, title: 'Something went wrong here', retryable: true },
  upstream_invalid_response: { status: 502, title: 'An upstream answered badly', retryable: true },
  service_unavailable: { status: 503, title: 'Temporarily unavailable', retryable: true },
  storage_full: { status: 503, title: 'There is not enough storage space', retryable: true },
  storage_unavailable: { status: 503, title: 'The object store does not answer', retryable: true },
  overloaded: { status: 503, title: 'Too much is going on', retryable: true },
  capacity_exceeded: { status: 503, title: 'No capacity in time', retryable: true },
  shutting_down: { status: 503, title: 'This process is stopping', retryable: true },
  upstream_timeout: { status: 504, title: 'An upstream did not answer in time', retryable: true },
} as const satisfies Record<string, ErrorEntry>

export type KernelCode = keyof typeof kernelErrors

/** The function that throws problems of the kernel's catalog and of one surface's own. */
export function problemsOf<const E extends Record<string, ErrorEntry>>(own: E) {
  const catalog: Record<string, ErrorEntry> = { ...kernelErrors, ...own }
  return (
    code: KernelCode | (keyof E & string),
    details: ProblemDetails = {},
    options?: ErrorOptions,
  ): Problem => {
    const entry = catalog[code]
    if (!entry) throw new Error(`no such problem: ${code}`)
    return new Problem(code, entry, details, options)
  }
}

export const problem = problemsOf({})

export type Catalog = ReadonlyMap<string, ErrorEntry>

/** One catalog over all surfaces; two surfaces may not give one code two statuses. */
export function catalogOf(parts: readonly Record<string, ErrorEntry>[]): Catalog {
  const catalog = new Map<string, ErrorEntry>()
  const entries = [kernelErrors, ...parts].flatMap(part =>
    Object.entries(part as Record<string, ErrorEntry>),
  )
  for (const [code, entry] of entries) {
    const known = catalog.get(code)
    if (known && known.status !== entry.status) {
      throw new Error(`the code ${code} has the statuses ${known.status} and ${entry.status}`)
    }
    catalog.set(code, entry)
  }
  return catalog
}

/** The document of RFC 9457. A 5xx tells nothing but its title; the cause is in the log. */
export function renderProblem(
  problem: Problem,
  context: { public_url: string; path: string; request_id: string },
): string {
  const { detail, errors, retry_after, current_state, more } = problem.details
  return JSON.stringify({
    type: `${context.public_url}/problems/${problem.code}`,
    title: problem.title,
    status: problem.status,
    // There is always one to show, also where there is no more to say than the title.
    detail: detail && problem.status < 500 ? detail : `${problem.title}.`,
    instance: context.path,
    code: problem.code,
    request_id: context.request_id,
    ...(errors ? { errors: errors.slice(0, 20) } : {}),
    ...(retry_after === undefined ? {} : { retry_after }),
    ...(current_state === undefined ? {} : { current_state }),
    ...more,
  })
}
