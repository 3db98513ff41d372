/**
 * The account of a new payment: the one that the request names; otherwise the oldest active account of
 * the tenant; otherwise the platform's. It never changes afterwards.
 */
import { Type } from 'typebox'
import { sql, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { refuseMember } from '../errors.ts'
import { vendorOf } from '../provider/account-key.ts'
import { of_platform, usualAccount } from '../provider/open-providers.ts'

const Key = Type.Object({ key: Type.String() })

export type AccountWish = {
  readonly account?: string | undefined
  readonly provider?: string | undefined
}

type Wish = AccountWish & {
  /** One of those that are offered to the tenant, by its key. */
  readonly at?: string | undefined
}

/**
 * An expression of the column `provider`. Without a wish it needs no statement of its own, so that it
 * can be sent together with others.
 */
export function chooseAccount(
  tx: Tx,
  deps: Pick<Deps, 'providers'>,
  tenant_id: string,
  wish: Wish,
): Sql | Promise<Sql> {
  if (wish.at !== undefined) return sql`${wish.at}`
  return wish.account === undefined && wish.provider === undefined
    ? sql`coalesce(${usualAccount(tenant_id)}, ${deps.providers.platform[0].name}::text)`
    : findWanted(tx, deps, tenant_id, wish).then(key => sql`${key}`)
}

/** For the merchant, who may name every active account. */
export async function findWanted(
  reader: Reader,
  { providers }: Pick<Deps, 'providers'>,
  tenant_id: string,
  { account, provider }: AccountWish,
): Promise<string> {
  const wanted = provider ?? providers.platform[0].name
  const platform = providers.platform.find(({ name }) => name === wanted)?.name
  if (account === of_platform) {
    if (platform === undefined) throw refuseMember('provider_unsupported', '/provider')
    return platform
  }
  const found = await reader.maybe(
    Key,
    sql`
      select a.provider || ':' || a.id as key from payments.payment_accounts a
      where a.tenant_id = ${tenant_id} and a.state = 'active'
        and (${account ?? null}::text is null or a.name = ${account ?? null})
        and (${provider ?? null}::text is null or a.provider = ${provider ?? null})
      order by a.id limit 1`,
  )
  if (found) return found.key
  if (account !== undefined) throw refuseMember('payment_account_unusable', '/account')
  if (platform === undefined) throw refuseMember('provider_unsupported', '/provider')
  return platform
}

/**
 * For who pays: an account that is offered now, so that nobody sends the money of a tenant to another
 * one. `about` points to the wish.
 */
export async function chooseOffered(
  reader: Reader,
  { providers }: Pick<Deps, 'providers'>,
  tenant_id: string,
  { account, provider }: AccountWish,
  about: string,
): Promise<string> {
  const offers = await providers.offered(reader, tenant_id, 'now')
  const named = offers.filter(one => account === undefined || one.name === account)
  if (named.length === 0) throw refuseMember('payment_account_unusable', `${about}/account`)
  const chosen = named.find(({ key }) => provider === undefined || vendorOf(key) === provider)
  if (!chosen) throw refuseMember('provider_unsupported', `${about}/provider`)
  return chosen.key
}
