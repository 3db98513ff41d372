/**
 * Adds rendered messages to the inboxes of people. Each inbox has one sequence, and an item gets
 * its number in the transaction that adds it. A stream that reconnects compares numbers to find the
 * items that it missed.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Rendered } from '../templates/render.ts'
import { inbox_topic } from '../topics.ts'

export type NewItem = {
  readonly tenant_id: string
  readonly user_id: string
  readonly intent_id: string
  readonly category: string
  readonly message: Rendered
}

export async function addItems(tx: Tx, items: readonly NewItem[]): Promise<void> {
  if (items.length === 0) return
  const rows = items.map(({ message, ...one }) => ({ ...message, ...one, id: newId() }))
  await tx.run(sql`
    with given as materialized (
      select g.*, count(*) over (partition by g.tenant_id, g.user_id)
          - row_number() over (partition by g.tenant_id, g.user_id order by g.id) as behind
      from ${sql.table(rows, {
        tenant_id: 'uuid',
        user_id: 'uuid',
        id: 'uuid',
        intent_id: 'uuid',
        category: 'text',
        subject: 'text',
        text: 'text',
        url: 'text',
      })} g
    ),
    counted as (
      insert into notifications.inboxes as i (tenant_id, user_id, last_sequence)
      select tenant_id, user_id, count(*) from given group by tenant_id, user_id
      order by tenant_id, user_id
      on conflict (tenant_id, user_id) do update
        set last_sequence = i.last_sequence + excluded.last_sequence
      returning tenant_id, user_id, last_sequence
    )
    insert into notifications.inbox_items
      (tenant_id, user_id, id, intent_id, sequence, changed, category, title, body, url)
    select g.tenant_id, g.user_id, g.id, g.intent_id, c.last_sequence - g.behind,
      c.last_sequence - g.behind, g.category, coalesce(g.subject, ''), g.text, g.url
    from given g
    join counted c on c.tenant_id = g.tenant_id and c.user_id = g.user_id
    on conflict (tenant_id, intent_id) where intent_id is not null do nothing`)
  tx.wake(inbox_topic)
}
