/** What identity refuses. A refusal of a credential never says which part of it was wrong. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  invalid_credentials: { status: 401, title: 'The credentials are not valid' },
  invalid_refresh_token: { status: 401, title: 'The refresh token is not valid' },
  mfa_challenge_invalid: { status: 401, title: 'The challenge is not valid any more' },
  mfa_verification_failed: { status: 401, title: 'The second factor was not proven' },
  signup_closed: { status: 403, title: 'This tenant invites its accounts' },
  account_not_found: { status: 404, title: 'There is no such account' },
  api_key_not_found: { status: 404, title: 'There is no such API key' },
  email_change_not_found: { status: 404, title: 'There is no such change of address' },
  external_identity_not_found: { status: 404, title: 'There is no such external identity' },
  mfa_challenge_not_found: { status: 404, title: 'There is no such challenge' },
  mfa_method_not_found: { status: 404, title: 'There is no such second factor' },
  oidc_provider_not_found: { status: 404, title: 'There is no such identity provider' },
  registration_not_found: { status: 404, title: 'There is no such registration' },
  request_not_found: { status: 404, title: 'There is no such request' },
  role_not_found: { status: 404, title: 'There is no such role' },
  session_not_found: { status: 404, title: 'There is no such session' },
  tenant_not_found: { status: 404, title: 'There is no such tenant' },
  external_identity_taken: { status: 409, title: 'The external identity belongs to an account' },
  last_operator: { status: 409, title: 'The platform needs an active operator' },
  last_credential: { status: 409, title: 'This is the last way to log in' },
  duty_conflict: { status: 422, title: 'One role cannot hold two separated duties' },
  one_time_token_invalid: { status: 422, title: 'The token is not valid any more' },
  oidc_state_invalid: { status: 422, title: 'This login is not under way in this browser' },
  oidc_ticket_invalid: { status: 422, title: 'The ticket is not valid any more' },
  password_rejected: { status: 422, title: 'The password is too easy to guess, or does not fit' },
  redirect_uri_not_allowed: { status: 422, title: 'The redirect address is not on the list' },
  unknown_permission: { status: 422, title: 'A permission does not exist' },
} as const

export const problem = problemsOf(errors)
