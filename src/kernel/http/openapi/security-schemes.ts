/** The credentials of the document. A log-in with `"delivery": "cookie"` gives the last two. */
import type { Json } from './reference.ts'

export const securitySchemes: Readonly<Record<string, Json>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of a session, or an API key.',
  },
  login_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The `login_token` that `POST /v1/sessions` returns when it asks for a second factor.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Secure-at',
    description:
      'The access token of a browser session, set by `POST /v1/sessions` with `"delivery": "cookie"`. It is named `at` where the platform is served over plain http. `POST /v1/sessions/{session_id}/refresh` reads the cookie `__Secure-rt` (`rt`).',
  },
  csrf_token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description:
      'The `csrf_token` of the log-in or of `GET /v1/sessions/current`. A request with the cookie that changes something requires it.',
  },
}
