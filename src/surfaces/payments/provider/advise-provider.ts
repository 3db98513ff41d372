/** Open operations of a provider that the application no longer has: they wait for it. */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const Missing = Type.Object({ provider: Type.String(), many: Type.Integer() })

export async function adviseProvider({ kernel, providers }: Deps): Promise<string[]> {
  const names = providers.platform.map(({ name }) => name)
  const rows = await kernel.db.many(
    Missing,
    sql`
    -- any tenant: all that waits for another provider
    select provider, count(*)::int as many from payments.payment_operations
    where state in ('created', 'pending_provider') and provider <> all(${names}::text[])
      -- those of tenants' own accounts are found in the database
      and provider not like '%:%'
    group by provider order by provider`,
  )
  return rows.map(
    one =>
      `${one.many} payment operations wait for the provider ${one.provider}, and this platform has ${names.join(', ')}. Give it ${one.provider} again until they have ended.`,
  )
}
