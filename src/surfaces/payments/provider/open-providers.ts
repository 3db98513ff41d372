/**
 * All accounts with providers: the platform's own, and those of tenants, which are opened when they
 * are first used. An account that was changed or closed is noticed within a second. Each has its own
 * gate, so no account waits for another.
 */
import { Type } from 'typebox'
import { Id, sql } from '#dodeca/kernel'
import { openSecret } from './account-secrets.ts'
import type { Kernel } from '../settings.ts'
import { accountIdOf, accountKey } from './account-key.ts'
import { behindGate } from './open-provider.ts'
import type { Offer, OpenProvider, Providers } from './port.ts'
import { paypalAccounts } from './paypal-accounts.ts'
import { stripeAccounts } from './stripe-accounts.ts'
import type { OpenAccount, Vendor } from './vendor.ts'

export const vendors: readonly Vendor[] = [stripeAccounts, paypalAccounts]

const Row = Type.Object({
  tenant_id: Id,
  id: Id,
  name: Type.String(),
  provider: Type.String(),
  version: Type.Integer(),
  sealed: Type.Unsafe<Buffer>({}),
})
const Offered = Type.Object({ key: Type.String(), name: Type.String() })

type Offers = readonly [Offer, ...Offer[]]
/** The name of the platform's own account. */
export const of_platform = 'platform'

const fresh_ms = 1000
const open_max = 1000
const offered_max = 10_000

type Held = {
  readonly version: number
  readonly provider: OpenProvider
  readonly account: OpenAccount
  read_at: number
}

export function openProviders(
  kernel: Kernel,
  platform: readonly [OpenProvider, ...OpenProvider[]],
  recovered: (provider: OpenProvider) => void,
): Providers {
  const tenants = openTenants(kernel, recovered)
  const offered = new Map<string, { readonly all: Offers; readonly read_at: number }>()
  const [first, ...others] = platform
  const offer = ({ name: key }: OpenProvider): Offer => ({ key, name: of_platform })
  const usual: Offers = [offer(first), ...others.map(offer)]
  const platformAt = (key: string) => platform.find(({ name }) => name === key)
  return {
    platform,
    byId: tenants.find,
    of: async key => {
      const id = accountIdOf(key)
      return id === null ? platformAt(key) : await tenants.find(id)
    },
    known: key => {
      const id = accountIdOf(key)
      return id === null ? platformAt(key) : tenants.known(id)
    },
    offered: async (reader, tenant_id, read) => {
      const read_at = performance.now()
      const known = offered.get(tenant_id)
      if (read !== 'now' && known && read_at - known.read_at < fresh_ms) return known.all
      const [oldest, ...later] = await reader.many(Offered, offeredAccounts(tenant_id))
      const all: Offers = oldest === undefined ? usual : [oldest, ...later]
      if (offered.size >= offered_max) offered.clear()
      offered.set(tenant_id, { all, read_at })
      return all
    },
    close: tenants.close,
  }
}

function openTenants(kernel: Kernel, recovered: (provider: OpenProvider) => void) {
  const held = new Map<string, Held>()
  const reading = new Map<string, Promise<OpenProvider | undefined>>()
  const closing = new Set<OpenAccount>()

  /** Calls that run may end: none takes longer than six attempts. */
  const retire = (id: string) => {
    const account = held.get(id)?.account
    held.delete(id)
    if (!account) return
    closing.add(account)
    const after_ms = kernel.settings['payments.provider_timeout_ms'] * 6
    setTimeout(() => {
      closing.delete(account)
      account.close().catch(() => {})
    }, after_ms).unref()
  }
  const read = async (id: string): Promise<OpenProvider | undefined> => {
    const read_at = performance.now()
    const row = await findRow(kernel, id)
    const before = held.get(id)
    if (row && before?.version === row.version) {
      before.read_at = read_at
      return before.provider
    }
    retire(id)
    const vendor = vendors.find(one => one.name === row?.provider)
    if (!row || !vendor) return undefined
    const account = vendor.open(kernel, openSecret(kernel, row, row.sealed))
    const { tenant_id: owner_id, name: of_tenant } = row
    const named = { ...account.provider, name: accountKey(row), owner_id, account: of_tenant }
    const provider = behindGate(kernel, named)
    provider.onRecovered(() => recovered(provider))
    held.set(id, { version: row.version, provider, account, read_at })
    const [oldest] = held.keys()
    if (oldest !== undefined && held.size > open_max) retire(oldest)
    return provider
  }
  return {
    known: (id: string) => held.get(id)?.provider,
    find: async (id: string): Promise<OpenProvider | undefined> => {
      const known = held.get(id)
      if (known && performance.now() - known.read_at < fresh_ms) return known.provider
      const begun = reading.get(id) ?? read(id).finally(() => reading.delete(id))
      reading.set(id, begun)
      return await begun
    },
    close: async () => {
      const open = [...held.values()].map(one => one.account)
      await Promise.all([...open, ...closing].map(one => one.close()))
    },
  }
}

function findRow({ db }: Kernel, id: string) {
  return db.maybe(
    Row,
    sql`
      -- any tenant: the account's own id, from a row of its tenant or from its webhook address
      select tenant_id, id, name, provider, version, sealed from payments.payment_accounts
      where id = ${id} and sealed is not null`,
  )
}

/** The oldest active account of the tenant with each provider, the oldest of them first. */
function offeredAccounts(tenant_id: string) {
  return sql`
    select one.provider || ':' || one.id as key, one.name from (
      select distinct on (a.provider) a.provider, a.id, a.name from payments.payment_accounts a
      where a.tenant_id = ${tenant_id} and a.state = 'active'
      order by a.provider, a.id) one
    order by one.id`
}

/** The oldest active account of the tenant, or null. */
export function usualAccount(tenant_id: string) {
  return sql`(
    select a.provider || ':' || a.id from payments.payment_accounts a
    where a.tenant_id = ${tenant_id} and a.state = 'active'
    order by a.id limit 1)`
}
