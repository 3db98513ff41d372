/**
 * The current signing secrets of a subscription, newest first, opened. A secret that cannot be
 * opened, for example because its key is no longer in the keyring, is left out: it must not stop the
 * subscriptions that are read together with it.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { Type } from 'typebox'
import { Id, nullable, sql, Time, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Bytes } from '../schemas.ts'

export type LiveSecret = {
  readonly version: number
  readonly key: KeyObject
  /** The time at which the secret stops signing. Null for the current secret. */
  readonly valid_until: string | null
}

const Row = Type.Object({
  subscription_id: Id,
  secret_version: Type.Integer(),
  secret_ciphertext: Bytes,
  valid_until: nullable(Time),
})

export async function readSecrets(
  reader: Reader,
  { kernel: { log }, secrets }: Pick<Deps, 'kernel' | 'secrets'>,
  subscription_ids: readonly string[],
): Promise<Map<string, LiveSecret[]>> {
  const rows = await reader.many(
    Row,
    sql`
      -- any tenant: a sender opens the secrets of the endpoints that it sends to
      select id as subscription_id, secret_version, secret_ciphertext, null as valid_until
      from webhooks.subscriptions where id = any (${subscription_ids}::uuid[])
      union all
      select subscription_id, secret_version, secret_ciphertext, valid_until
      from webhooks.previous_secrets
      where subscription_id = any (${subscription_ids}::uuid[]) and valid_until > kernel.now()
      order by secret_version desc`,
  )
  const found = new Map<string, LiveSecret[]>()
  for (const { subscription_id: id, secret_version: version, ...row } of rows) {
    try {
      const key = createSecretKey(secrets.open(id, version, row.secret_ciphertext))
      const live = { version, key, valid_until: row.valid_until }
      found.set(id, [...(found.get(id) ?? []), live])
    } catch (error) {
      log.error({ err: error, subscription_id: id, version }, 'a webhook secret cannot be opened')
    }
  }
  return found
}
