/** The errors of identity. A refused credential never reveals which part of it was wrong. */
import { problemsOf } from '#dodeca/kernel'
import { clients } from './clients/client.ts'
import { connections } from './connections/connection.ts'
import { oauth_errors } from './oauth/oauth-error.ts'
import { provider_errors } from './oidc/provider-errors.ts'

export const errors = {
  ...oauth_errors,
  ...provider_errors,
  invalid_credentials: {
    status: 401,
    title: 'The credentials are not valid',
    cause:
      'The address, the password, the passkey, the login code or the tenant is wrong, or a code was used or has expired. The reply does not say which.',
    cure: 'Check them and try again, get a new code with `POST /v1/login-codes`, or reset the password with `POST /v1/password-reset-requests`.',
  },
  invalid_client: {
    status: 401,
    title: 'The application is not known here',
    cause: 'The client id is unknown, or the secret of the client is wrong, missing or not needed.',
    cure: 'Check the id with `GET /v1/clients`. Get a new secret with `POST /v1/clients/{client_id}/secrets`.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'The refresh token is not valid',
    cause: 'The refresh token is unknown, expired or was used before.',
    cure: 'Log in again. Keep only the newest refresh token of a session.',
  },
  mfa_challenge_invalid: {
    status: 401,
    title: 'The challenge is no longer valid',
    cause: 'The challenge has expired or was completed.',
    cure: 'Create a new one with `POST /v1/mfa/challenges`.',
  },
  mfa_verification_failed: {
    status: 401,
    title: 'The second factor was not verified',
    cause: 'The code, key or recovery code does not match the second factor.',
    cure: 'Check the clock of the device that shows the code, and send the code that it shows now. A code that was used once is refused: wait for the next one.',
  },
  login_codes_off: {
    status: 403,
    title: 'Login codes are not mailed here',
    cause: 'The operator has set `IDENTITY_LOGIN_CODES=false`.',
    cure: 'Log in another way; `POST /v1/login-options` lists them.',
  },
  anonymous_off: {
    status: 403,
    title: 'There are no anonymous accounts here',
    cause: 'The operator has not set `IDENTITY_ANONYMOUS=true`.',
    cure: 'Register or log in.',
  },
  captcha_required: {
    status: 403,
    title: 'A captcha is required',
    cause: 'Robots are slowed down here, or too much came from your network.',
    cure: 'Do what `captcha` of this problem says: solve its `challenge` as `POST /v1/captcha-challenges` describes it, or show the widget of the provider with the `site_key`. Then send the request again with the answer as `captcha`.',
  },
  signup_closed: {
    status: 403,
    title: 'Accounts of this tenant are by invitation only',
    cause: 'The tenant does not allow registrations.',
    cure: 'Ask an administrator of the tenant for an invitation.',
  },
  session_bound: {
    status: 403,
    title: 'The session works in one tenant only',
    cause: 'The session began at a way in of one tenant, so it cannot be used in another.',
    cure: 'Log in again to work in the other tenant, or leave out `tenant_id`.',
  },
  sso_required: {
    status: 403,
    title: 'The organization requires its own identity provider',
    cause:
      'The log-in policy of the organization has `require_sso`, and the session did not begin at a connection of it.',
    cure: 'Log in at the provider that `POST /v1/login-options` names. Administrators may log in in another way with a second factor.',
  },
  second_factor_required: {
    status: 403,
    title: 'The organization requires a second factor',
    cause:
      'The log-in policy of the organization has `require_mfa`, and the session has no second factor.',
    cure: 'Complete a challenge of `POST /v1/mfa/challenges`. Without a factor, add one at `/account/` or with `POST /v1/mfa/methods`, and log in again with it. Where the organization is the home of the account, a new log-in begins a session in which you add one.',
  },
  login_method_not_allowed: {
    status: 403,
    title: 'The organization does not allow this way to log in',
    cause: 'The log-in policy of the organization excludes the way in which the session began.',
    cure: 'Log in in another way; `POST /v1/login-options` with the `tenant` lists them.',
  },
  session_too_old: {
    status: 403,
    title: 'The session is too old for the organization',
    cause: 'It began longer ago than `session_max_seconds` of the log-in policy.',
    cure: 'Log in again.',
  },
  account_not_found: {
    status: 404,
    title: 'There is no such account',
    cause: 'No account of this tenant has this id, or you may not see it.',
    cure: 'Find the id with `GET /v1/accounts`.',
  },
  api_key_not_found: {
    status: 404,
    title: 'There is no such API key',
    cause: 'No API key has this id, or it belongs to another account.',
    cure: 'Find the id with `GET /v1/api-keys`.',
  },
  ...clients.errors,
  ...connections.errors,
  email_change_not_found: {
    status: 404,
    title: 'There is no such change of address',
    cause: 'No change of address of yours has this id, or it was removed after its end.',
    cure: 'Begin a new one with `POST /v1/email-changes`.',
  },
  factor_reset_not_found: {
    status: 404,
    title: 'There is no such reset',
    cause: 'No reset of second factors in this tenant has this id.',
    cure: 'Find the id with `GET /v1/accounts/{account_id}/factor-resets`.',
  },
  mfa_challenge_not_found: {
    status: 404,
    title: 'There is no such challenge',
    cause: 'No challenge of yours has this id, or it was removed after its end.',
    cure: 'Create a new one with `POST /v1/mfa/challenges`.',
  },
  mfa_method_not_found: {
    status: 404,
    title: 'There is no such second factor',
    cause: 'No second factor of yours has this id.',
    cure: 'Find the id with `GET /v1/mfa/methods`.',
  },
  organization_domain_not_found: {
    status: 404,
    title: 'There is no such domain',
    cause: 'No domain of your organization has this id.',
    cure: 'Find the id with `GET /v1/organization/domains`.',
  },
  invitation_not_found: {
    status: 404,
    title: 'There is no such invitation',
    cause: 'No invitation that you may see has this id, or your address was not proven.',
    cure: 'Find the id with `GET /v1/me/invitations`, or in your organization with `GET /v1/organization/invitations`.',
  },
  registration_not_found: {
    status: 404,
    title: 'There is no such registration',
    cause: 'No registration has this id, or it was removed after its end.',
    cure: 'Register again with `POST /v1/accounts`.',
  },
  request_not_found: {
    status: 404,
    title: 'There is no such request',
    cause: 'No request has this id, or it was removed after its end.',
    cure: 'Ask again.',
  },
  role_not_found: {
    status: 404,
    title: 'There is no such role',
    cause: 'No role that can be given here has this id.',
    cure: 'Find the id with `GET /v1/roles`.',
  },
  session_not_found: {
    status: 404,
    title: 'There is no such session',
    cause: 'No session of yours has this id, or it has ended.',
    cure: 'Find the id with `GET /v1/sessions`.',
  },
  tenant_not_found: {
    status: 404,
    title: 'There is no such tenant',
    cause: 'No tenant has this id or name, or you are not a member of it.',
    cure: 'Check the id; `GET /v1/me` lists your tenants.',
  },
  client_exists: {
    status: 409,
    title: 'The address is an API already',
    cause: 'Another client of the platform is the API with this `uri`.',
    cure: 'Use its own address for each API, or delete the other client.',
    violated: ['clients_audience'],
  },
  domain_taken: {
    status: 409,
    title: 'Another organization has the domain',
    cause: 'Another organization of the platform has verified this domain.',
    cure: 'Let that organization remove it first, or invite the people as guests with `POST /v1/organization/invitations`.',
  },
  domain_record_missing: {
    status: 409,
    title: 'The DNS record was not found',
    cause: 'The DNS of the domain has no TXT record with the value yet.',
    cure: 'Publish `record_value` as a TXT record of `record_name`, wait some minutes, then verify again.',
  },
  email_taken: {
    status: 409,
    title: 'The address belongs to an account',
    cause:
      'Another account has the new address, and its mailbox was proven before, or an administrator invited or disabled that account.',
    cure: 'Change to another address, or log in to the account that has this one.',
  },
  last_operator: {
    status: 409,
    title: 'The platform needs an active operator',
    cause: 'The change would leave the platform without an active operator.',
    cure: 'Give another account the role `platform_operator` first.',
  },
  last_administrator: {
    status: 409,
    title: 'The tenant needs an active administrator',
    cause: 'The change would leave the tenant without an active account that may assign roles.',
    cure: 'Give another account the role `tenant_admin` first, or ask a platform operator.',
  },
  last_credential: {
    status: 409,
    title: 'This is the last way to log in',
    cause: 'Without it a log-in to the account would be impossible.',
    cure: 'Set a password, add a passkey or link another identity first.',
  },
  client_invalid: {
    status: 422,
    title: 'The client cannot work',
    cause: 'A value is missing or does not fit the type of the client.',
    cure: 'Correct what the `detail` names, then send the request again.',
  },
  duty_conflict: {
    status: 422,
    title: 'Two separated duties cannot be held together',
    cause: 'The permissions of the role or the key belong to two duties that must stay apart.',
    cure: 'Make one role or key for each duty, and give them to different people.',
    violated: ['role_permissions_one_duty', 'api_keys_one_duty'],
  },
  one_time_token_invalid: {
    status: 422,
    title: 'The token is no longer valid',
    cause:
      'The token has expired or was used, or another mail has taken its place: a newer invitation, or a mail for the same purpose whose token was used.',
    cure: 'Ask for a new mail.',
  },
  password_rejected: {
    status: 422,
    title: 'The password is too easy to guess, or has an invalid length',
    cause: 'The password is too short, too long or easy to guess.',
    cure: 'Choose a longer one, such as several words that have nothing to do with each other.',
  },
  unknown_permission: {
    status: 422,
    title: 'A permission does not exist',
    cause: 'No surface declares a permission of this name.',
    cure: 'Check the names; `GET /v1/roles` shows permissions that exist.',
  },
} as const

export const problem = problemsOf(errors)
