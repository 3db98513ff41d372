/**
 * Finds the account for an identity at a provider. A known identity has its account. An unknown
 * identity gets the account with the same address only if the provider has verified the address. If
 * the mailbox of that account was never verified, the account loses all its earlier credentials.
 * Otherwise a new account is created, if registration is open. In all other cases the person does
 * not learn whether the address has an account. The provider of a tenant speaks only for the domains
 * of the tenant.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Address } from '../accounts/email.ts'
import { announceProven, takeOver } from '../registrations/take-over.ts'
import { accountByAddress, accountById } from '../accounts/find-account.ts'
import { isOperators, type OpenedConnection } from '../connections/connection.ts'
import { maySpeakFor, serves } from '../connections/trust.ts'
import type { Deps } from '../deps.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import type { AccountRow } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { emailScope, type Tenant } from '../tenants/resolve-tenant.ts'
import type { Failure } from './failures.ts'
import type { Asserted } from './party.ts'
import { holdActive, holdIdentity, ownerOf, storeIdentity, type Owner } from './store-identity.ts'

export type Found = {
  readonly account: Pick<AccountRow, 'id' | 'tenant_id'>
  readonly external_identity_id: string
}

type Needs = Pick<Deps, 'kernel' | 'hasher' | 'denied' | 'permissions'>

export type Login = {
  readonly provider: string
  readonly asserted: Asserted
  /** Null for a provider of the settings. */
  readonly connection: OpenedConnection | null
  /** The tenant in which a new account would be created. */
  readonly tenant: Tenant
  readonly seen: Seen
}

const refused = (error: Failure['error'], reason: string): Failure => ({ error, reason })

/** The address is proven otherwise: by a code that is mailed to it. */
export const proof_required = 'proof_required'

export async function findAccount(
  tx: Tx,
  deps: Needs,
  login: Login,
): Promise<Found | Failure | typeof proof_required> {
  const { asserted, connection } = login
  await holdIdentity(tx, asserted)
  const owner = await ownerOf(tx, asserted)
  if (owner) return await known(tx, deps, owner, login)
  const { address } = asserted
  if (!address) return refused('account_link_required', 'no_address')
  const scope = emailScope(deps.kernel, login.tenant.id)
  const held = await accountByAddress(tx, scope, address.normalized)
  if (connection && !isOperators(connection)) {
    // Before anything that depends on an account, so that the reply tells nothing about one.
    if (!(await maySpeakFor(tx, connection, asserted))) return proof_required
    // The provider does not decide about an account that is at home elsewhere.
    if (held && held.tenant_id !== connection.tenant_id) return proof_required
    const proven = { ...asserted, proven: true }
    return await linkOrMake(tx, deps, { ...login, asserted: proven }, { scope, address, held })
  }
  return await linkOrMake(tx, deps, login, { scope, address, held })
}

type Place = {
  readonly scope: string
  readonly address: Address
  readonly held: AccountRow | undefined
}

async function linkOrMake(
  tx: Tx,
  deps: Needs,
  login: Login,
  { scope, address, held }: Place,
): Promise<Found | Failure> {
  const { asserted, provider, seen } = login
  if (held) {
    const owned = asserted.proven && (await ownedBy(tx, deps, held, login))
    if (!owned) return refused('account_link_required', 'address_not_proven')
  } else if (!maySignUp(deps.kernel, login)) {
    return refused('account_link_required', 'signup_refused')
  }
  const account = held ?? (await makeAccount(tx, login, scope, address))
  if (!account) return refused('account_link_required', 'address_taken')
  const stored = await storeIdentity(tx, account, { provider, ...asserted }, seen)
  if (!stored) throw new Error('another transaction stored an identity that is locked here')
  // The owner gets no notice if this identity has just created the account.
  if (held) await notifyOwner(tx, held, 'identity_linked')
  return { account, external_identity_id: stored.id }
}

async function known(
  tx: Tx,
  { kernel }: Needs,
  { account_id, id: external_identity_id }: Owner,
  { tenant, connection }: Login,
): Promise<Found | Failure> {
  const account = await accountById(tx, account_id)
  const open = !kernel.settings['identity.require_verified_email']
  if (account?.status !== 'active' || !(open || account.verified_at !== null)) {
    return refused('access_denied', 'account_not_active')
  }
  // If each tenant has its own addresses, an application of one tenant gets no account of another
  // tenant.
  if (emailScope(kernel, account.tenant_id) !== emailScope(kernel, tenant.id)) {
    return refused('account_link_required', 'other_tenant')
  }
  if (!(await serves(tx, connection, account))) {
    return refused('account_link_required', 'not_served')
  }
  return { account, external_identity_id }
}

/**
 * If the mailbox of an account was never verified, the account goes to the person whose address the
 * provider has verified.
 */
async function ownedBy(
  tx: Tx,
  deps: Needs,
  held: AccountRow,
  { asserted: { display_name, locale }, connection, seen }: Login,
): Promise<boolean> {
  const invited = held.status === 'invited' && connection !== null && !isOperators(connection)
  if (held.status !== 'active' && !invited) return false
  if (!(await serves(tx, connection, held))) return false
  if (held.verified_at !== null) return await holdActive(tx, held)
  const claim = { registration_id: null, encoded: null, display_name, locale }
  return await takeOver(tx, deps, held, claim, seen)
}

function maySignUp(
  { settings }: Needs['kernel'],
  { tenant: { signup }, asserted: { proven }, connection }: Login,
): boolean {
  if (connection && !isOperators(connection)) return connection.jit
  const open = signup === 'open' || (connection?.jit === true && proven)
  return open && (proven || !settings['identity.require_verified_email'])
}

/**
 * Creates an account that has no password. Returns undefined if the address was taken a moment ago.
 */
async function makeAccount(
  tx: Tx,
  { asserted: { proven, display_name, locale }, tenant: { id: tenant_id }, seen }: Login,
  scope: string,
  address: Address,
): Promise<Found['account'] | undefined> {
  const id = newId()
  const made = await tx.run(sql`
    insert into identity.accounts (tenant_id, id, email, email_normalized, email_scope, status,
      verified_at, display_name, locale)
    values (${tenant_id}, ${id}, ${address.email}, ${address.normalized}, ${scope}, 'active',
      case when ${proven} then kernel.now() end, ${display_name}, ${locale})
    on conflict (email_scope, email_normalized) where status <> 'deleted' do nothing`)
  if (made === 0) return undefined
  tx.emit({
    type: 'account.registered',
    tenant_id,
    aggregate_type: 'account',
    aggregate_id: id,
    aggregate_version: 1,
    data: { account_id: id, tenant_id },
  })
  if (proven) await announceProven(tx, { id, tenant_id }, seen)
  return { id, tenant_id }
}
