/** The headers of requests and replies. Each is described once. */
import { keyMode } from '../server/compile-route.ts'
import type { Route } from '../contract/route.ts'
import type { Json } from './reference.ts'

type Header = { readonly description: string; readonly schema: Json }

function textual(description: string, example: string): Header {
  return { description, schema: { type: 'string', examples: [example] } }
}

export const headers: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'The id of this request. Name it when you report a problem.',
    schema: { $ref: '#/components/schemas/Id' },
  },
  RateLimit: textual(
    'The remaining budget: `r` more requests now; the whole limit is available again in `t` seconds.',
    '"read";r=598;t=1',
  ),
  'RateLimit-Policy': textual('The limit: `q` requests in `w` seconds.', '"read";q=600;w=60'),
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 0, examples: [2] },
  },
  'Idempotent-Replayed': textual(
    '`true` if the reply is that of an earlier request with the same key.',
    'true',
  ),
  ETag: textual('The version of the resource; send it as `If-Match` with a change.', '"3"'),
  Location: textual(
    'The address of the resource.',
    '/v1/jobs/019c8f3a-5b20-7d41-9e6b-2f1c40d7a961',
  ),
  Link: textual(
    'The address of the next page, with `rel="next"`.',
    '</v1/jobs?cursor=c1>; rel="next"',
  ),
  'WWW-Authenticate': textual(
    'The authentication scheme that the request must use.',
    'Bearer error="invalid_token"',
  ),
  Deprecation: textual('When the operation was deprecated, as a Unix time.', '@1772445600'),
  Sunset: textual('When the operation will be removed.', 'Mon, 01 Mar 2027 00:00:00 GMT'),
}

export function header(name: string): Json {
  return { [name]: { $ref: `#/components/headers/${name}` } }
}

/** The headers of a successful reply. */
export function headersOf(route: Route, status: number): Json {
  const names = ['X-Request-Id']
  if (!route.always) names.push('RateLimit', 'RateLimit-Policy')
  if (route.sends?.includes('etag') && status < 300) names.push('ETag')
  const located = route.sends?.includes('location') && (status === 201 || status === 202)
  if (located || (status > 300 && status < 400 && status !== 304)) names.push('Location')
  if (route.query?.properties['cursor']) names.push('Link')
  if (keyMode(route)) names.push('Idempotent-Replayed')
  if (route.deprecated) names.push('Deprecation', 'Sunset')
  return Object.assign({}, ...names.map(header)) as Json
}

export const parameters: Readonly<Record<string, Json>> = {
  IdempotencyKey: keyParameter(true),
  OptionalIdempotencyKey: keyParameter(false),
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the expected version. If it is not the current one, the reply is 412.',
    schema: { type: 'string', maxLength: 1024, examples: ['"3"'] },
  },
}

function keyParameter(required: boolean): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      'Chosen by the client, a new one for each new operation. A retry with the same key and body gets the first outcome.',
    schema: {
      type: 'string',
      minLength: 16,
      maxLength: 200,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['order-1042-confirmation'],
    },
  }
}
