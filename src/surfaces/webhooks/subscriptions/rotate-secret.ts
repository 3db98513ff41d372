/**
 * Rotates the secret. The new secret signs immediately, and during the overlap the old secret signs
 * too. Without an overlap the old secret ends with this transaction: senders read the secrets again
 * when the subscription's version has changed.
 */
import { Type } from 'typebox'
import { nullable, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { SubscriptionRow } from '../schemas.ts'
import { live_secrets_max } from '../sealed-secrets.ts'
import { announce, holdSubscription, subscriptionColumns } from './find.ts'

const overlap_default_seconds = 86_400
const Live = Type.Object({ secrets: Type.Integer() })
const Kept = Type.Object({ valid_until: nullable(Time) })

export async function rotateSecret(
  tx: Tx,
  { secrets }: Pick<Deps, 'secrets'>,
  at: { id: string; tenant_id: string; if_match: string | string[] | undefined },
  overlap_seconds = overlap_default_seconds,
) {
  const { id, tenant_id } = at
  const before = await holdSubscription(tx, at, at.if_match)
  await tx.run(sql`
    delete from webhooks.previous_secrets where tenant_id = ${tenant_id}
      and subscription_id = ${id} and (valid_until <= kernel.now() or ${overlap_seconds} = 0)`)
  const { secrets: older } = await tx.one(
    Live,
    sql`
      select count(*)::int as secrets from webhooks.previous_secrets
      where tenant_id = ${tenant_id} and subscription_id = ${id}`,
  )
  if (overlap_seconds > 0 && older + 2 > live_secrets_max) throw problem('too_many_live_secrets')
  const kept = await keepOld(tx, id, tenant_id, overlap_seconds)
  const made = secrets.make(undefined)
  const secret_version = before.secret_version + 1
  const row = await tx.one(
    SubscriptionRow,
    sql`
      update webhooks.subscriptions s
      set secret_version = ${secret_version}, version = version + 1, updated_at = kernel.now(),
        secret_ciphertext = ${secrets.seal(id, secret_version, made.bytes)}
      where s.tenant_id = ${tenant_id} and s.id = ${id}
      returning ${subscriptionColumns}`,
  )
  announce(tx, 'webhook_subscription.secret_rotated', row)
  return { secret: made.text, secret_version, previous_valid_until: kept }
}

async function keepOld(
  tx: Tx,
  id: string,
  tenant_id: string,
  overlap_seconds: number,
): Promise<string | null> {
  if (overlap_seconds === 0) return null
  const { valid_until } = await tx.one(
    Kept,
    sql`
      insert into webhooks.previous_secrets (tenant_id, subscription_id, secret_version,
        secret_ciphertext, valid_until)
      select tenant_id, id, secret_version, secret_ciphertext,
        kernel.now() + make_interval(secs => ${overlap_seconds})
      from webhooks.subscriptions where tenant_id = ${tenant_id} and id = ${id}
      returning valid_until`,
  )
  return valid_until
}
