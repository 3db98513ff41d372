/** The refusals of a caller: who it is, and what it may do. */

export const accessErrors = {
  authentication_required: {
    status: 401,
    title: 'Authentication is required',
    cause: 'The operation requires a credential, and the request has none.',
    cure: 'Send `Authorization: Bearer <token>` with an access token of `POST /v1/sessions` or an API key.',
  },
  invalid_token: {
    status: 401,
    title: 'The credential is not valid',
    cause: 'The credential is unknown, malformed, expired or revoked.',
    cure: 'Refresh the session or log in again. An API key must be replaced by a new one.',
  },
  permission_denied: {
    status: 403,
    title: 'This action is not allowed',
    cause: 'The caller does not hold the permission that the operation requires.',
    cure: 'Ask an administrator of the tenant for a role that holds the permission.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The session is too narrow for this action',
    cause: 'The scope of the session does not have what the operation requires.',
    cure: 'Begin a session whose scope has the word in `scope`, or use a session without a scope.',
  },
  csrf_failed: {
    status: 403,
    title: 'The request may not come from this site',
    cause: 'A request with a cookie needs the CSRF token of its session and an allowed origin.',
    cure: 'Send the `csrf_token` of the session as `X-CSRF-Token`, or use a bearer token.',
  },
} as const
