/**
 * Adds orders to the open digests of their recipients, categories and keys. A partial unique index
 * allows only one open digest. The statement that adds and the statement that closes wait for each
 * other, so each order is in exactly one digest. A digest is changed once for all its orders, and
 * digests are locked in one order, so that two transactions with the same digests never deadlock.
 */
import { Type } from 'typebox'
import { Id, newId, sql, type Tx } from '#dodeca/kernel'
import type { DataKeys } from '../vault.ts'
import { insertIntents } from '../intents/insert-intents.ts'
import type { Order } from '../intents/order.ts'
import { textOf } from '../intents/recipient.ts'
import type { IntentRow } from '../intents/view.ts'

const Opened = Type.Object({
  id: Id,
  tenant_id: Id,
  recipient_ref: Type.String(),
  category: Type.String(),
  key: Type.String(),
})

type Group = {
  readonly name: string
  readonly order: Order
  readonly digest: NonNullable<Order['digest']>
  readonly rows: IntentRow[]
}

/** An order has no row if its key already has an intent. Orders without a digest are left out. */
export async function addToDigests(
  tx: Tx,
  data_keys: DataKeys,
  orders: readonly Order[],
): Promise<ReadonlyMap<Order, IntentRow>> {
  const collected = orders.filter(order => order.digest !== null)
  if (collected.length === 0) return new Map()
  const rows = await insertIntents(
    tx,
    data_keys,
    collected.map(order => ({ order, state: 'held', attempts: [], events: 0 })),
  )
  const groups = groupsOf(collected, rows)
  const opened = await openDigests(tx, groups)
  const members = groups.flatMap(({ name, rows: own }) =>
    own.map(({ tenant_id, id }) => ({ tenant_id, id, digest_id: opened.get(name) ?? '' })),
  )
  if (members.length > 0) {
    await tx.run(sql`
      update notifications.notification_intents i set digest_id = m.digest_id
      from ${sql.table(members, { tenant_id: 'uuid', id: 'uuid', digest_id: 'uuid' })} m
      where i.tenant_id = m.tenant_id and i.id = m.id`)
  }
  const digests = new Map(members.map(({ id, digest_id }) => [id, digest_id]))
  return new Map(
    collected.flatMap((order, at) => {
      const row = rows[at]
      return row ? [[order, { ...row, digest_id: digests.get(row.id) ?? null }]] : []
    }),
  )
}

/** The orders of each digest that have a new intent, in the order of the digests' keys. */
function groupsOf(orders: readonly Order[], rows: readonly (IntentRow | undefined)[]): Group[] {
  const groups = new Map<string, Group>()
  for (const [at, order] of orders.entries()) {
    const { tenant_id, recipient, category, digest } = order
    const row = rows[at]
    if (!row || !digest) continue
    const name = nameOf(tenant_id, textOf(recipient), category.name, digest.key)
    const group = groups.get(name) ?? { name, order, digest, rows: [] }
    group.rows.push(row)
    groups.set(name, group)
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

function nameOf(...key: [tenant_id: string, recipient_ref: string, category: string, key: string]) {
  return JSON.stringify(key)
}

/** Returns the id of the open digest of each group. */
async function openDigests(tx: Tx, groups: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  if (groups.length === 0) return new Map()
  const drafts = groups.map(({ order, digest, rows }) => {
    const { tenant_id, recipient, category, template, priority, locale, channels } = order
    return {
      tenant_id,
      id: newId(),
      recipient_ref: textOf(recipient),
      category: category.name,
      key: digest.key,
      order_of: sql.json({ template: template.ref, priority, locale, channels }),
      principal_id: order.principal_id,
      session_id: order.session_id,
      total: rows.length,
      seconds: digest.window_seconds,
    }
  })
  const opened = await tx.many(
    Opened,
    sql`
      insert into notifications.digests as d
        (tenant_id, id, recipient_ref, category, key, order_of, principal_id, session_id, total,
          closes_at)
      select g.tenant_id, g.id, g.recipient_ref, g.category, g.key, g.order_of, g.principal_id,
        g.session_id, g.total, kernel.now() + make_interval(secs => g.seconds)
      from ${sql.table(drafts, draft_columns)} g
      on conflict (tenant_id, recipient_ref, category, key) where state = 'open'
        do update set total = d.total + excluded.total
      returning d.id, d.tenant_id, d.recipient_ref, d.category, d.key`,
  )
  return new Map(
    opened.map(one => [nameOf(one.tenant_id, one.recipient_ref, one.category, one.key), one.id]),
  )
}

const draft_columns = {
  tenant_id: 'uuid',
  id: 'uuid',
  recipient_ref: 'text',
  category: 'text',
  key: 'text',
  order_of: 'jsonb',
  principal_id: 'uuid',
  session_id: 'uuid',
  total: 'int',
  seconds: 'int',
} as const
