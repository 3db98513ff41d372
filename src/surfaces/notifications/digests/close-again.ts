/**
 * Asks again for the right of every sender of a digest, right before its message is sent. The message
 * may have waited since the digest was closed, for the end of quiet hours or for a provider. If a
 * sender has lost the right, the message is made again from the orders of the others.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { readSenders } from '../intents/senders.ts'
import { Priority } from '../schemas.ts'
import type { Claimed } from '../sending/claim.ts'
import { lockIntents } from '../sending/settle-intents.ts'
import { keyName, seal } from '../vault.ts'
import { Closed, closedColumns, readEvents } from './close-digests.ts'
import { refuseMembers } from './refuse-members.ts'

const Sender = Type.Object({
  tenant_id: Id,
  digest_id: Id,
  principal_id: nullable(Id),
  session_id: nullable(Id),
  priority: Priority,
})

export async function closeAgain(
  deps: Deps,
  claimed: readonly Claimed[],
): Promise<readonly Claimed[]> {
  const revoked = await findRevoked(
    deps,
    claimed.filter(one => one.closes_digest !== null),
  )
  if (revoked.size === 0) return claimed
  const made: Claimed[] = []
  for (const one of claimed) {
    const again = revoked.has(one) ? await deps.kernel.db.tx(tx => remake(tx, deps, one)) : one
    made.push(again)
  }
  return made
}

/** The messages that have orders of a sender without the right. */
async function findRevoked(
  { kernel: { db }, people, categories: all }: Deps,
  claimed: readonly Claimed[],
): Promise<ReadonlySet<Claimed>> {
  if (claimed.length === 0) return new Set()
  const digests = claimed.map(({ tenant_id, closes_digest }) => ({ tenant_id, id: closes_digest }))
  const senders = await db.many(
    Sender,
    sql`
      select distinct m.tenant_id, m.digest_id, m.principal_id, m.session_id, m.priority
      from ${sql.table(digests, { tenant_id: 'uuid', id: 'uuid' })} d
      join notifications.notification_intents m
        on m.tenant_id = d.tenant_id and m.digest_id = d.id and m.state = 'held'`,
  )
  const [categories, rights] = await Promise.all([
    all.findAll(db, claimed),
    readSenders(people.recentGrantsOf, senders),
  ])
  const of = Map.groupBy(senders, one => one.digest_id)
  return new Set(
    claimed.filter(one => {
      const category = categories.get(`${one.tenant_id} ${one.category}`)
      return of
        .get(one.closes_digest ?? '')
        ?.some(
          ({ priority, ...sender }) =>
            category && !rights.may(sender, { category, priority, in_batch: false }),
        )
    }),
  )
}

/** Without an order that may be sent, the message has no data and ends. */
async function remake(tx: Tx, deps: Deps, claimed: Claimed): Promise<Claimed> {
  const { tenant_id, intent_id, closes_digest, owner_id, data_ref } = claimed
  const digest = await tx.maybe(
    Closed,
    sql`
      select ${closedColumns} from notifications.digests d
      where d.tenant_id = ${tenant_id} and d.id = ${closes_digest} for update`,
  )
  const category = await deps.categories.find(tx, tenant_id, claimed.category)
  if (!digest || !category || owner_id === null) return { ...claimed, ciphertext: null }
  // Before the orders, as by the transaction that ends the message.
  await lockIntents(tx, [claimed])
  const remaining = await refuseMembers(tx, deps.people, digest, category)
  const owner = { tenant_id, owner_id }
  const key = (await deps.vault.knownKeys(tx, [owner])).get(keyName(owner))
  if (!remaining || !key) return { ...claimed, ciphertext: null }
  const { principal_id, session_id, priority, total } = remaining
  const text = JSON.stringify({ events: await readEvents(tx, deps, tenant_id, digest.id), total })
  const ciphertext = seal(key, text, `input ${data_ref}`)
  await tx.run(sql`
    update notifications.notification_inputs
    set ciphertext = ${ciphertext}, bytes = ${Buffer.byteLength(text)}
    where tenant_id = ${tenant_id} and ref = ${data_ref}`)
  await tx.run(sql`
    update notifications.notification_intents
    set principal_id = ${principal_id}, session_id = ${session_id}, priority = ${priority}
    where tenant_id = ${tenant_id} and id = ${intent_id}`)
  return { ...claimed, principal_id, session_id, priority, ciphertext }
}
