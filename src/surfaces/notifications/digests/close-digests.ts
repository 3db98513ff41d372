/**
 * Closes digests whose window has ended. Each digest becomes exactly one notification in the
 * transaction that closes the digest. The data of the notification are the collected orders
 * (`events`, the first hundred, and `total`), without those of senders who have lost the right. A
 * digest that cannot be closed, for example because its data are damaged, is put off, so that it
 * does not hold back the others. When all its orders have expired, it is given up.
 */
import { Type, type Static } from 'typebox'
import { Id, isUnavailable, newId, nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { cancelMembers, holdDigest } from './cancel-members.ts'
import { accept } from '../intents/accept.ts'
import { plain } from '../intents/order.ts'
import { parseRef } from '../intents/recipient.ts'
import { refuseMembers } from './refuse-members.ts'
import type { Channel, Priority } from '../schemas.ts'
import { keyName, unseal } from '../vault.ts'

type Kept = { template: string; priority: Priority; locale: string | null; channels: Channel[] }

export const Closed = Type.Object({
  tenant_id: Id,
  id: Id,
  recipient_ref: Type.String(),
  category: Type.String(),
  order_of: Type.Unsafe<Kept>({}),
  principal_id: nullable(Id),
  session_id: nullable(Id),
  total: Type.Integer(),
})
const Member = Type.Object({
  data_ref: Id,
  owner_id: Id,
  ciphertext: Type.Unsafe<Buffer>({}),
})
type Closed = Static<typeof Closed>
export const closedColumns = sql`
  d.tenant_id, d.id, d.recipient_ref, d.category, d.order_of, d.principal_id,
  d.session_id, d.total`
const Expired = Type.Object({ expired: Type.Boolean() })
const shown_max = 100
const put_off_seconds = 600

/** Each digest is closed in its own transaction. */
export async function closeDigests(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, log } = deps.kernel
  const tried: { digest?: Closed | undefined } = {}
  while (!signal.aborted) {
    tried.digest = undefined
    try {
      await db.tx(async tx => {
        tried.digest = await takeDue(tx)
        if (tried.digest) await closeDigest(tx, deps, tried.digest)
      })
    } catch (error) {
      const { digest } = tried
      if (!digest || isUnavailable(error)) throw error
      const { tenant_id, id: digest_id } = digest
      log.error({ err: error, tenant_id, digest_id }, 'a digest cannot be closed, and is put off')
      await db.tx(tx => putOff(tx, digest))
    }
    if (!tried.digest) return
  }
}

async function takeDue(tx: Tx): Promise<Closed | undefined> {
  return await tx.maybe(
    Closed,
    sql`
      -- any tenant: what is due is closed for all of them
      update notifications.digests d set state = 'closed'
      where (d.tenant_id, d.id) = (
        select tenant_id, id from notifications.digests
        where state = 'open' and closes_at <= kernel.now()
        order by closes_at limit 1 for update skip locked)
      returning ${closedColumns}`,
  )
}

async function closeDigest(tx: Tx, deps: Deps, digest: Closed): Promise<void> {
  const { tenant_id, id, order_of } = digest
  const category = await deps.categories.find(tx, tenant_id, digest.category)
  const remaining = category && (await refuseMembers(tx, deps.people, digest, category))
  const events = await readEvents(tx, deps, tenant_id, id)
  if (!category || !remaining || events.length === 0) return
  const now_ms = deps.kernel.clock.nowMs()
  await accept(tx, deps, {
    ...plain,
    id: newId(),
    tenant_id,
    principal_id: remaining.principal_id,
    session_id: remaining.session_id,
    recipient: parseRef(digest.recipient_ref),
    category,
    template: await deps.templates.of(tx, tenant_id, order_of.template),
    data: { events, total: remaining.total },
    channels: order_of.channels,
    priority: remaining.priority,
    locale: order_of.locale,
    expires_at_ms: now_ms + category.default_ttl_seconds * 1000,
    created_at_ms: now_ms,
    closes_digest: id,
  })
}

async function putOff(tx: Tx, { tenant_id, id }: Closed): Promise<void> {
  if (!(await holdDigest(tx, tenant_id, id))) return
  const { expired } = await tx.one(
    Expired,
    sql`
      select not exists (
        select from notifications.notification_intents m
        where m.tenant_id = ${tenant_id} and m.digest_id = ${id} and m.state = 'held'
          and m.expires_at > kernel.now()) as expired`,
  )
  if (expired) await cancelMembers(tx, sql`m.tenant_id = ${tenant_id} and m.digest_id = ${id}`)
  await tx.run(sql`
    update notifications.digests
    set state = case when ${expired} then 'closed' else state end,
      closes_at = kernel.now() + make_interval(secs => ${put_off_seconds})
    where tenant_id = ${tenant_id} and id = ${id}`)
}

export async function readEvents(tx: Tx, { vault }: Deps, tenant_id: string, digest_id: string) {
  const members = await tx.many(
    Member,
    sql`
      select m.data_ref, n.owner_id, n.ciphertext
      from notifications.notification_intents m
      join notifications.notification_inputs n on n.tenant_id = m.tenant_id and n.ref = m.data_ref
      where m.tenant_id = ${tenant_id} and m.digest_id = ${digest_id} and m.state = 'held'
      order by m.id limit ${shown_max}`,
  )
  const owners = members.map(({ owner_id }) => ({ tenant_id, owner_id }))
  const keys = await vault.knownKeys(tx, owners)
  return members.flatMap(({ data_ref, owner_id, ciphertext }) => {
    const key = keys.get(keyName({ tenant_id, owner_id }))
    return key ? [JSON.parse(unseal(key, ciphertext, `input ${data_ref}`)) as object] : []
  })
}
