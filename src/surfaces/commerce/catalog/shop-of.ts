/**
 * Finds the tenant whose catalog is read: the tenant of the caller, else the tenant of the host
 * name, else the default tenant of the platform.
 */
import { Type } from 'typebox'
import { sql, type Principal, type Reader, type RequestFacts } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { usual_settings } from '../rules/schemas.ts'

export async function shopOf(
  reader: Reader,
  { people }: Pick<Deps, 'people'>,
  principal: Principal | null,
  { headers }: Pick<RequestFacts, 'headers'>,
): Promise<string> {
  if (principal) return principal.tenant_id
  const tenant = await people.publicTenant(reader, headers['host'])
  if (!tenant) throw problem('product_not_found', { detail: 'No shop is at this address.' })
  return tenant.id
}

const Currency = Type.Object({ currency: Type.String() })

/** The currency of prices if the caller names none. */
export async function defaultCurrency(reader: Reader, tenant_id: string): Promise<string> {
  const found = await reader.maybe(
    Currency,
    sql`
      select record ->> 'default_currency' as currency from commerce.shop_records
      where tenant_id = ${tenant_id} and kind = 'settings' and key = 'settings'`,
  )
  return found?.currency ?? usual_settings.default_currency
}
