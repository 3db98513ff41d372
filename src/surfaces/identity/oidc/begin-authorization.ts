/**
 * Begins a login at a provider, or links an identity at a provider to the account of the caller.
 * The provider's response is accepted once. It is accepted only in the browser that began, and only
 * for the same purpose.
 */
import { Type, type Static } from 'typebox'
import { closed, newId, newSecret, nullable, text } from '#dodeca/kernel'
import type { Principal, RequestFacts } from '#dodeca/kernel'
import { accountById } from '../accounts/find-account.ts'
import { serves } from '../connections/trust.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { issueRandom } from '../one-time.ts'
import { Slug } from '../schemas.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { requireStepUp } from '../step-up.ts'
import { resolveTenant } from '../tenants/resolve-tenant.ts'
import { bindingCookie, callbackPath, markOf } from './browser-binding.ts'
import { failureOf } from './failures.ts'
import type { Party } from './party.ts'

export const BeginAuthorization = closed({
  redirect_uri: text(2000),
  tenant: Type.Optional(Slug),
  purpose: Type.Optional(Type.Union([Type.Literal('login'), Type.Literal('link')])),
  /**
   * Returned together with the ticket, for an application that binds its own browser to the login.
   */
  state: Type.Optional(text(500)),
})
type BeginAuthorization = Static<typeof BeginAuthorization>

export const Authorization = Type.Object(
  { authorization_url: Type.String({ maxLength: 8192 }), expires_in: Type.Integer() },
  { title: 'OidcAuthorization' },
)
type Authorization = Static<typeof Authorization>

/** The data that is stored until the browser returns. */
export const Pending = Type.Object({
  provider: Type.String(),
  redirect_uri: Type.String(),
  purpose: Type.Union([Type.Literal('login'), Type.Literal('link')]),
  browser: Type.String(),
  state: nullable(Type.String()),
})
export type Pending = Static<typeof Pending>

export type Asked = {
  readonly provider: string
  readonly body: BeginAuthorization
  readonly principal: Principal | null
  readonly request: Pick<RequestFacts, 'headers'>
}

/** `cookie` binds the login to the browser that began it. */
type Begun = { readonly body: Authorization; readonly cookie: string }

/** The account page to which a provider may always lead back. */
export function ownReturn({ public_url }: Pick<Deps['kernel'], 'public_url'>): string {
  return `${public_url}/account/provider`
}

export async function beginAuthorization(
  deps: Pick<Deps, 'kernel' | 'oidc'>,
  asked: Asked,
): Promise<Begun> {
  const { kernel, oidc } = deps
  const { provider, body } = asked
  const party = await oidc.party(provider)
  if (!party) throw problem('oidc_provider_not_found')
  const { redirect_uri } = body
  if (redirect_uri !== ownReturn(kernel) && !oidc.redirect_uris.has(redirect_uri)) {
    throw problem('redirect_uri_not_allowed')
  }
  const purpose = body.purpose ?? 'login'
  const whose =
    purpose === 'link'
      ? await linking(kernel, party, asked.principal)
      : { tenant_id: await tenantOf(kernel, party, asked), account_id: null }
  // Runs before anything is stored, so that no row is written if the provider is down.
  await answering(party)
  const secret = newSecret()
  const ttl_seconds = kernel.settings['identity.oidc_state_ttl_seconds']
  const pending: Pending = {
    provider,
    redirect_uri,
    purpose,
    browser: markOf(secret),
    state: body.state ?? null,
  }
  const { token } = await kernel.db.tx(tx =>
    issueRandom(tx, {
      purpose: 'oidc_state',
      ref: newId(),
      ...whose,
      ttl_seconds,
      details: pending,
    }),
  )
  const way = { redirect_uri: kernel.public_url + callbackPath(provider), secret, state: token }
  return {
    body: { authorization_url: await party.leadTo(way), expires_in: ttl_seconds },
    cookie: bindingCookie(kernel, provider, token, secret, ttl_seconds),
  }
}

/** A connection serves its own tenant only. */
async function tenantOf(
  kernel: Deps['kernel'],
  { connection }: Party,
  { body: { tenant }, request }: Asked,
): Promise<string> {
  if (connection && tenant === undefined) return connection.tenant_id
  const { id } = await resolveTenant(kernel.db, kernel, tenant, request.headers['host'])
  if (connection && connection.tenant_id !== id) throw problem('oidc_provider_not_found')
  return id
}

/** Adding a way to log in is dangerous, so it requires a recent authentication. */
async function linking(kernel: Deps['kernel'], party: Party, principal: Principal | null) {
  const account = principal ? await accountById(kernel.db, principal.id) : undefined
  if (!principal || !account) throw problem('authentication_required')
  await requireOwnSession(kernel.db, principal)
  await requireStepUp(kernel.db, kernel, principal)
  if (!(await serves(kernel.db, party.connection, account))) {
    throw problem('oidc_provider_not_found')
  }
  return { tenant_id: account.tenant_id, account_id: account.id }
}

async function answering(party: Party): Promise<void> {
  try {
    await party.ready()
  } catch (error) {
    const { error: kind } = failureOf(error)
    const code =
      kind === 'provider_unavailable' ? 'service_unavailable' : 'upstream_invalid_response'
    throw problem(code, {}, { cause: error })
  }
}
