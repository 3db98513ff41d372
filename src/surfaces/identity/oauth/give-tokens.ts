/** The token endpoint: one function for each grant type. */
import type { RequestFacts } from '#dodeca/kernel'
import { clientCredentials } from '../clients/client-credentials.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { clientOf, credentialsIn, parameter, type OAuthForm } from './read-form.ts'
import { redeemCode } from './redeem-code.ts'
import { refreshGrant } from './refresh-grant.ts'
import type { Tokens } from './schemas.ts'

type Grant = (deps: Deps, form: OAuthForm, request: RequestFacts) => Promise<Tokens>

const grants: Readonly<Record<string, Grant>> = {
  authorization_code: async (deps, form, request) =>
    await redeemCode(deps, await clientOf(deps.kernel.db, deps, form, request), form, request),
  refresh_token: async (deps, form, request) =>
    await refreshGrant(deps, await clientOf(deps.kernel.db, deps, form, request), form, request),
  client_credentials: async (deps, form, { headers }) =>
    await clientCredentials(deps, { ...form, ...credentialsIn(form, headers['authorization']) }),
}

export const grant_types = Object.keys(grants)

export async function giveTokens(
  deps: Deps,
  form: OAuthForm,
  request: RequestFacts,
): Promise<Tokens> {
  const type = parameter(form, 'grant_type')
  const grant = Object.hasOwn(grants, type) ? grants[type] : undefined
  if (!grant) throw problem('unsupported_grant_type')
  return await grant(deps, form, request)
}
