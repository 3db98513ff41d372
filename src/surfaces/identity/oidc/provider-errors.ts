/** The errors of log-ins at identity providers. */
export const provider_errors = {
  address_proof_required: {
    status: 401,
    title: 'The address is not proven',
    cause:
      'The word of the identity provider is not enough for this address: the tenant has not proven that it owns the domain, the provider does not say that it has verified the address, or the account is at home in another tenant.',
    cure: 'Get a code for the same address with `POST /v1/login-codes`, and send the ticket and the code together to `POST /v1/sessions`.',
  },
  external_identity_not_found: {
    status: 404,
    title: 'There is no such external identity',
    cause: 'No identity that is linked to your account has this id.',
    cure: 'Find the id with `GET /v1/me/external-identities`.',
  },
  oidc_provider_not_found: {
    status: 404,
    title: 'There is no such identity provider',
    cause: 'No identity provider has this name, or it belongs to another tenant or is disabled.',
    cure: 'Check the name or the id of the connection, or configure the provider in `IDENTITY_OIDC_PROVIDERS`.',
  },
  external_identity_taken: {
    status: 409,
    title: 'The external identity belongs to an account',
    cause: 'Another account is linked to this identity.',
    cure: 'Log in with the identity, or unlink it from the other account first.',
  },
  connection_invalid: {
    status: 422,
    title: 'The connection cannot work',
    cause: 'A value is missing or does not fit, or the identity provider does not answer.',
    cure: 'Correct what the `detail` names, then send the request again.',
  },
  oidc_state_invalid: {
    status: 422,
    title: 'This login was not begun in this browser',
    cause:
      'The login began in another browser or too long ago, or the browser did not store the cookie that the beginning set.',
    cure: 'Begin the login again in this browser. A page of another origin has to begin it with `credentials: "include"`.',
  },
  oidc_ticket_invalid: {
    status: 422,
    title: 'The ticket is no longer valid',
    cause: 'The ticket has expired or was used.',
    cure: 'Log in at the identity provider again to get a new ticket.',
  },
  redirect_uri_not_allowed: {
    status: 422,
    title: 'The redirect URI is not on the list',
    cause: '`IDENTITY_REDIRECT_URIS` does not list exactly this URI.',
    cure: 'Use a listed URI, or add this one to the setting.',
  },
} as const
