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
import type { OpenProvider, Providers } from './port.ts'
import { paypalAccounts } from './paypal-accounts.ts'
import { stripeAccounts } from './stripe-accounts.ts'
import type { OpenAccount, Vendor } from './vendor.ts'

export const vendors: readonly Vendor[] = [stripeAccounts, paypalAccounts]

const Row = Type.Object({
  tenant_id: Id,
  id: Id,
  provider: Type.String(),
  version: Type.Integer(),
  sealed: Type.Unsafe<Buffer>({}),
})
const Offered = Type.Object({ keys: Type.Array(Type.String()) })

type Keys = readonly [string, ...string[]]

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
  const offered = new Map<string, { readonly keys: Keys; readonly read_at: number }>()
  const [first, ...others] = platform
  const of_platform: Keys = [first.name, ...others.map(({ name }) => name)]
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
    offered: async (reader, tenant_id) => {
      const read_at = performance.now()
      const known = offered.get(tenant_id)
      if (known && read_at - known.read_at < fresh_ms) return known.keys
      const { keys: own } = await reader.one(Offered, offeredAccounts(tenant_id))
      const [oldest, ...later] = own
      const keys: Keys = oldest === undefined ? of_platform : [oldest, ...later]
      if (offered.size >= offered_max) offered.clear()
      offered.set(tenant_id, { keys, read_at })
      return keys
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
    const named = { ...account.provider, name: accountKey(row), owner_id: row.tenant_id }
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
      select tenant_id, id, provider, version, sealed from payments.payment_accounts
      where id = ${id} and sealed is not null`,
  )
}

/** The oldest active account of the tenant with each provider, the oldest of them first. */
function offeredAccounts(tenant_id: string) {
  return sql`
    select array(
      select one.provider || ':' || one.id from (
        select distinct on (a.provider) a.provider, a.id from payments.payment_accounts a
        where a.tenant_id = ${tenant_id} and a.state = 'active'
        order by a.provider, a.id) one
      order by one.id) as keys`
}

/** The oldest active account of the tenant, or null. */
export function usualAccount(tenant_id: string) {
  return sql`(
    select a.provider || ':' || a.id from payments.payment_accounts a
    where a.tenant_id = ${tenant_id} and a.state = 'active'
    order by a.id limit 1)`
}
