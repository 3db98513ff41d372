/**
 * Erases a person in one tenant. The person's keys are deleted first, so that their addresses and
 * the data of their notifications become unreadable everywhere. Then the rows are deleted. The only
 * remaining record of a notification is that it existed. An address that is stored without an
 * account is erased if it is theirs.
 */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { cancelMembers } from './digests/cancel-members.ts'
import { by_platform } from './intents/order.ts'
import type { MailKind } from './schemas.ts'
import { settleIntents } from './sending/settle-intents.ts'

const Open = Type.Object({ tenant_id: Id, intent_id: Id })
const Destination = Type.Object({ id: Id })

type Person = { readonly tenant_id: string; readonly user_id: string }
/** The person and their destinations: notifications may be addressed to each of them. */
type Erased = {
  readonly tenant_id: string
  readonly ids: readonly string[]
  readonly refs: readonly string[]
}

export async function erasePerson(
  tx: Tx,
  { vault }: Pick<Deps, 'vault'>,
  person: Person,
): Promise<void> {
  const { tenant_id, user_id } = person
  const destinations = await ownDestinations(tx, person)
  const ids = [user_id, ...destinations]
  for (const owner_id of ids) await vault.destroy(tx, { tenant_id, owner_id })
  const refs = [`user:${user_id}`, ...destinations.map(id => `destination:${id}`)]
  await eraseNotifications(tx, { tenant_id, ids, refs })
  await tx.run(sql`
    delete from notifications.destinations
    where tenant_id = ${tenant_id} and id = any(${destinations}::uuid[])`)
  await tx.run(sql`
    delete from notifications.preference_sets where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  await tx.run(sql`
    delete from notifications.inbox_items where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  await tx.run(sql`
    delete from notifications.inboxes where tenant_id = ${tenant_id} and user_id = ${user_id}`)
}

/**
 * The destinations that the person added, and those without an account that have the same address:
 * all of them if the person has verified it or got mails there as the address of the account. A
 * person may add any address, so an unverified one takes only what the platform's own code made.
 */
async function ownDestinations(tx: Tx, { tenant_id, user_id }: Person): Promise<string[]> {
  const found = await tx.many(
    Destination,
    sql`
      with own as (
        select d.channel, d.destination_hash, d.verified_at is not null as proven
        from notifications.destinations d
        where d.tenant_id = ${tenant_id} and d.user_id = ${user_id}
        union
        select a.channel, a.destination_hash, true
        from notifications.notification_intents i
        join notifications.delivery_attempts a
          on a.tenant_id = i.tenant_id and a.intent_id = i.id
        where i.tenant_id = ${tenant_id} and i.recipient_ref = ${`user:${user_id}`}
          and a.channel = 'email' and a.destination_id is null and a.destination_hash is not null
      )
      select d.id from notifications.destinations d
      where d.tenant_id = ${tenant_id} and (d.user_id = ${user_id} or d.user_id is null and exists (
        select from own o
        where o.channel = d.channel and o.destination_hash = d.destination_hash
          and (o.proven or not exists (select from notifications.notification_intents i
            where i.tenant_id = d.tenant_id and i.recipient_ref = 'destination:' || d.id
              and i.principal_id <> ${by_platform}))))
      order by d.id`,
  )
  return found.map(one => one.id)
}

type Mails = {
  readonly tenant_id: string
  readonly kind: MailKind
  readonly ids: readonly string[]
}

/** The address of such a mail is in no table, but its attempts have a masked form and a hash of it. */
export async function forgetMails(
  tx: Tx,
  { vault }: Pick<Deps, 'vault'>,
  { tenant_id, kind, ids }: Mails,
): Promise<void> {
  for (const owner_id of ids) await vault.destroy(tx, { tenant_id, owner_id })
  await eraseNotifications(tx, { tenant_id, ids, refs: ids.map(id => `${kind}:${id}`) })
}

async function eraseNotifications(tx: Tx, { tenant_id, ids, refs }: Erased): Promise<void> {
  const open = await tx.many(
    Open,
    sql`
      with ended as (
        update notifications.delivery_attempts a
        set state = 'cancelled', error_code = 'cancelled', next_attempt_at = null
        from notifications.notification_intents i
        where i.tenant_id = ${tenant_id} and i.recipient_ref = any(${refs}::text[])
          and a.tenant_id = i.tenant_id and a.intent_id = i.id and a.state = 'pending'
        returning a.tenant_id, a.intent_id
      )
      select distinct tenant_id, intent_id from ended`,
  )
  await settleIntents(tx, open)
  await tx.run(sql`
    select from notifications.digests
    where tenant_id = ${tenant_id} and recipient_ref = any(${refs}::text[]) and state = 'open'
    order by id for update`)
  await cancelMembers(
    tx,
    sql`m.tenant_id = ${tenant_id} and m.recipient_ref = any(${refs}::text[])`,
  )
  await tx.run(sql`
    update notifications.delivery_attempts a
    set masked = null, destination_hash = null, forgotten = true
    from notifications.notification_intents i
    where i.tenant_id = ${tenant_id} and i.recipient_ref = any(${refs}::text[])
      and a.tenant_id = i.tenant_id and a.intent_id = i.id`)
  await tx.run(sql`
    delete from notifications.notification_inputs
    where tenant_id = ${tenant_id} and owner_id = any(${ids}::uuid[])`)
  await tx.run(sql`
    update notifications.notification_intents set metadata = null, dedupe_key = null
    where tenant_id = ${tenant_id} and recipient_ref = any(${refs}::text[])`)
  await tx.run(sql`
    delete from notifications.dedupe_windows
    where tenant_id = ${tenant_id} and recipient_ref = any(${refs}::text[])`)
  await tx.run(sql`
    delete from notifications.digests
    where tenant_id = ${tenant_id} and recipient_ref = any(${refs}::text[])`)
}
