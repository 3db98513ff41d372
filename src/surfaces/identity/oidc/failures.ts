/**
 * The reasons for which a login at a provider failed. The application gets a code that reveals
 * nothing about the accounts of others. The security events get a reason that contains no submitted
 * value.
 */
import type { AuthorizationResponseError } from 'openid-client'
import { SafeFetchFailure } from '#dodeca/kernel'

export type LoginError =
  'access_denied' | 'account_link_required' | 'provider_error' | 'provider_unavailable'

export type Failure = { readonly error: LoginError; readonly reason: string }

export function failureOf(error: unknown): Failure {
  const { code } = error as { code?: unknown }
  // By its code, because the class would load the whole library before a login needs it.
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    const refused = (error as AuthorizationResponseError).error === 'access_denied'
    return { error: refused ? 'access_denied' : 'provider_error', reason: 'refused_by_provider' }
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SafeFetchFailure) {
      return { error: 'provider_unavailable', reason: `call_${cause.reason}` }
    }
  }
  const known = typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code)
  return { error: 'provider_error', reason: known ? code.toLowerCase() : 'answer_not_accepted' }
}
