/** Subscriptions by the hundred, as if each had been made and had answered its challenge. */
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { openSecrets } from '../sealed-secrets.ts'
import type { Ground } from './ground.ts'
import { settings } from '../settings.ts'

/** Their ids, in the order of the endpoints. */
export async function subscribeMany(
  ground: Ground,
  owner: Member,
  endpoints: readonly string[],
  types: readonly string[],
): Promise<string[]> {
  const kernel = ground.platform.kernelFor({ settings })
  const secrets = openSecrets(kernel)
  const ids = endpoints.map(() => newId())
  const sealed = ids.map(id => secrets.seal(id, 1, secrets.make(undefined).bytes))
  await kernel.db.run(sql`
    with made as (
      insert into webhooks.subscriptions (tenant_id, id, endpoint, event_filter, readable, owner_id, state,
        api_version, max_in_flight, secret_version, secret_ciphertext, verification_mode)
      select ${owner.tenant.id}, m.id, m.endpoint, ${types}, '{*}', ${owner.id}, 'active',
        '2026-01', 8, 1, m.sealed, 'manual'
      from unnest(${ids}::uuid[], ${endpoints}::text[], ${sealed}::bytea[])
        as m (id, endpoint, sealed)
      returning tenant_id, id)
    insert into webhooks.delivery_lanes (tenant_id, subscription_id)
    select tenant_id, id from made`)
  return ids
}
