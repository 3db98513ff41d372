/**
 * Handles the callback from a provider. The state is used up before the provider is called, so that
 * a repeated callback finds nothing. No database connection is held during the call. The browser
 * gets a ticket that is valid for one login (or one link) within a minute, or an error code.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { closed, Id, newId, sql, text } from '#dodeca/kernel'
import type { Headers, RequestFacts, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { saidBy } from '../connections/said-by.ts'
import { problem } from '../errors.ts'
import { consume, issueRandom, peek, type Challenge } from '../one-time.ts'
import { OneTimeToken } from '../schemas.ts'
import { recordSecurityEvent } from '../security-events/record-security-event.ts'
import { emailScope } from '../tenants/resolve-tenant.ts'
import { Pending } from './begin-authorization.ts'
import { bindingCookie, callbackPath, markOf, secretIn } from './browser-binding.ts'
import { failureOf, type Failure } from './failures.ts'
import { findAccount, proof_required } from './find-account.ts'
import type { Asserted, Party } from './party.ts'
import type { Proof } from './prove-address.ts'
import { takeForm } from './stored-forms.ts'

export const Returned = closed({
  /** It may be the only one: then the provider has sent the others in a form. */
  state: OneTimeToken,
  code: Type.Optional(text(4096)),
  iss: Type.Optional(text(500)),
  error: Type.Optional(text(200)),
  error_description: Type.Optional(text(2000)),
})
type Returned = Static<typeof Returned>

const Home = Type.Object({ id: Id, signup: Type.String() })

export type Back = {
  readonly provider: string
  readonly returned: Returned
  readonly request: RequestFacts
}

type Needs = Pick<Deps, 'kernel' | 'hasher' | 'denied' | 'permissions' | 'oidc'>
type Ticket = { readonly token: string }

/** Returns the URL to which the browser is sent next. */
export async function finishAuthorization(
  deps: Needs,
  { provider, returned, request }: Back,
): Promise<Headers> {
  const { kernel, oidc } = deps
  const party = await oidc.party(provider)
  if (!party) throw problem('oidc_provider_not_found')
  const { state } = returned
  const { challenge, pending, secret, form } = await use(deps, provider, state, request)
  const way = { redirect_uri: kernel.public_url + callbackPath(provider), secret, state }
  const asserted = await party.prove(way, { ...returned, ...form }).catch(failureOf)
  const outcome = await kernel.db.tx(tx =>
    'error' in asserted
      ? Promise.resolve(asserted)
      : ticketFor(tx, deps, { challenge, pending, party, asserted, request }),
  )
  if ('error' in outcome) await recordFailure(deps, provider, challenge, outcome, request)
  return {
    location: goOn(pending, outcome),
    'set-cookie': bindingCookie(kernel, provider, state, '', 0),
  }
}

/** Uses up the state, only for the browser and the provider for which it was created. */
async function use(
  { kernel }: Needs,
  provider: string,
  state: string,
  request: Pick<RequestFacts, 'headers'>,
) {
  const secret = secretIn(kernel, state, request.headers['cookie'])
  const challenge = await peek(kernel.db, ['oidc_state'], state)
  const pending = challenge?.details
  const mine =
    Value.Check(Pending, pending) &&
    pending.provider === provider &&
    pending.browser === markOf(secret ?? '')
  if (!challenge || secret === null || !mine) throw problem('oidc_state_invalid')
  const form = await kernel.db.tx(async tx => {
    if (!(await consume(tx, ['oidc_state'], state))) throw problem('oidc_state_invalid')
    return await takeForm(tx, kernel.keys, state)
  })
  return { challenge, pending, secret, form }
}

type Answered = {
  readonly challenge: Challenge
  readonly pending: Pending
  readonly party: Party
  readonly asserted: Asserted
  readonly request: RequestFacts
}

async function ticketFor(
  tx: Tx,
  deps: Needs,
  { challenge, pending, party, asserted, request }: Answered,
): Promise<Ticket | Failure> {
  const { provider } = pending
  const { issuer, subject } = asserted
  const ttl_seconds = deps.kernel.settings['identity.oidc_ticket_ttl_seconds']
  const common = { purpose: 'oidc_ticket', ref: newId(), ttl_seconds } as const
  if (pending.purpose === 'link') {
    const { tenant_id, account_id } = challenge
    const details = { use: 'link', provider, issuer, subject }
    return await issueRandom(tx, { ...common, tenant_id, account_id, details })
  }
  const tenant = await tx.maybe(
    Home,
    sql`
      select id, signup from identity.tenants
      where id = ${challenge.tenant_id} and state = 'active'`,
  )
  if (!tenant) return { error: 'access_denied', reason: 'tenant_not_active' }
  const { connection } = party
  const found = await findAccount(tx, deps, {
    provider,
    asserted,
    connection,
    tenant,
    seen: request,
  })
  if (found === proof_required) {
    const details = proofDetails(deps.kernel, tenant.id, party, asserted)
    // As long as the code that is mailed next.
    const proof = {
      ...common,
      ttl_seconds: deps.kernel.settings['identity.login_code_ttl_seconds'],
    }
    return await issueRandom(tx, { ...proof, tenant_id: tenant.id, account_id: null, details })
  }
  if ('error' in found) return found
  const { account, external_identity_id } = found
  const whose = { tenant_id: account.tenant_id, account_id: account.id }
  const details = { use: 'login', external_identity_id, ...saidBy(connection, asserted) }
  return await issueRandom(tx, { ...common, ...whose, details })
}

function proofDetails(
  kernel: Needs['kernel'],
  tenant_id: string,
  { connection }: Party,
  asserted: Asserted,
): Proof {
  const { issuer, subject, address } = asserted
  if (!connection || !address) throw new Error('only a connection needs the proof of an address')
  return {
    use: 'proof',
    provider: connection.id,
    issuer,
    subject,
    email: address.email,
    email_normalized: address.normalized,
    email_scope: emailScope(kernel, tenant_id),
    connection_version: connection.version,
    ...saidBy(connection, asserted),
  }
}

async function recordFailure(
  { kernel }: Needs,
  provider: string,
  { tenant_id, account_id }: Challenge,
  { reason }: Failure,
  seen: RequestFacts,
): Promise<void> {
  kernel.log.info({ provider, reason }, 'a login at an identity provider failed')
  const about = { tenant_id, account_id, actor: account_id ?? 'anonymous', seen }
  await recordSecurityEvent(kernel.db, {
    ...about,
    action: 'oidc.failed',
    method: provider,
    reason,
  })
}

function goOn({ redirect_uri, state }: Pending, outcome: Ticket | Failure): string {
  const url = new URL(redirect_uri)
  if ('error' in outcome) url.searchParams.set('error', outcome.error)
  else url.searchParams.set('ticket', outcome.token)
  if (state !== null) url.searchParams.set('state', state)
  return url.href
}
