/**
 * OAuth's errors, in OAuth's form (RFC 6749, 5.2). The codes are declared like all others, but the
 * bodies of these routes are `{error, error_description}`, as every OAuth library reads them. Other
 * refusals, such as too many requests, stay problem documents.
 */
import { Type } from 'typebox'
import { Problem, reply, type Headers } from '#dodeca/kernel'

export const oauth_errors = {
  invalid_request: {
    status: 400,
    title: 'The OAuth request is not valid',
    cause: 'A parameter is missing, is given twice or has an invalid value.',
    cure: 'Correct what the description names.',
  },
  invalid_grant: {
    status: 400,
    title: 'The code or the refresh token is not valid',
    cause:
      'It has expired, was used, belongs to another client or redirect URI, or the person has ended the access.',
    cure: 'Send the person to the authorization endpoint again.',
  },
  unauthorized_client: {
    status: 400,
    title: 'The client may not do this',
    cause: 'This type of client may not use this operation.',
    cure: 'Use a client of the type that the description names.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'The grant type is not supported',
    cause: 'The token endpoint does not know this `grant_type`.',
    cure: 'Use one of `grant_types_supported` in `/.well-known/openid-configuration`.',
  },
  invalid_scope: {
    status: 400,
    title: 'The scope is not valid',
    cause: 'A word of the scope does not exist, or is more than the client or the session has.',
    cure: 'Ask for less.',
  },
  invalid_target: {
    status: 400,
    title: 'The resource is not known',
    cause: 'No API has this `resource`, or it is not the one for which the access was given.',
    cure: 'Leave `resource` out for the API of the platform, or use the URI of a registered API.',
  },
} as const

const codes = new Set(['invalid_client', ...Object.keys(oauth_errors)])

/** For a problem that OAuth has no code for. A 403 is the log-in policy of the organization. */
const others: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request'],
  [403, 'invalid_grant'],
  [422, 'invalid_request'],
])

const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: 'OAuthError' },
)

/** The statuses that these routes reply with, beside their success. */
export const refused = { 400: OAuthError, 401: OAuthError } as const

/** The same refusal as OAuth says it. */
export async function answering<T>(run: () => Promise<T>) {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, status, details, advice } = error
    const said = codes.has(code) ? code : others.get(status)
    if (said === undefined) throw error
    const body = {
      error: said,
      error_description: asciiOf(details.detail ?? advice),
    }
    const headers: Headers = details.headers ?? {}
    return code === 'invalid_client'
      ? reply(401, body, { 'www-authenticate': 'Basic realm="oauth"', ...headers })
      : reply(400, body, headers)
  }
}

/** The characters that a description may have. */
function asciiOf(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")
}
