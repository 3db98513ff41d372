/** The data that notifications stores about a person: its export and its erasure. */
import { Type } from 'typebox'
import { sql, type Sql } from '../../kernel/database/sql.ts'
import type { Personal, PersonalAccount } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { erasePerson } from './erase-person.ts'

const Row = Type.Object({ data: Type.Unknown() })

export function personal(deps: Deps): Personal {
  const { db } = deps.kernel
  return {
    export: async function* (account) {
      for (const [kind, statement] of statementsFor(account)) {
        for (const { data } of await db.many(Row, statement)) yield { kind, data }
      }
    },
    erase: ({ tenant_id, account_id }) =>
      db.tx(tx => erasePerson(tx, deps, { tenant_id, user_id: account_id })),
    // The phone or mailbox of a stranger must not get the messages of the new owner.
    suspend: async ({ tenant_id, account_id, made_before }) => {
      await db.run(sql`
        delete from notifications.destinations
        where tenant_id = ${tenant_id} and user_id = ${account_id}
          and created_at <= ${made_before}::timestamptz`)
    },
  }
}

function statementsFor({ tenant_id, account_id }: PersonalAccount): readonly [string, Sql][] {
  return [
    [
      'notification_preference',
      sql`
        select to_jsonb(p) - 'tenant_id' as data from notifications.preferences p
        where p.tenant_id = ${tenant_id} and p.user_id = ${account_id}`,
    ],
    [
      'notification_destination',
      sql`
        select jsonb_build_object('channel', d.channel, 'destination', d.masked,
          'verified_at', d.verified_at, 'created_at', d.created_at) as data
        from notifications.destinations d
        where d.tenant_id = ${tenant_id} and d.user_id = ${account_id}`,
    ],
    [
      'notification',
      sql`
        select jsonb_build_object('id', i.id, 'category', i.category, 'state', i.state,
          'template', i.template_version, 'created_at', i.created_at) as data
        from notifications.notification_intents i
        where i.tenant_id = ${tenant_id} and i.recipient_ref = ${`user:${account_id}`}
        order by i.id desc limit 10000`,
    ],
    [
      'inbox_item',
      sql`
        select to_jsonb(n) - 'tenant_id' - 'user_id' as data from notifications.inbox_items n
        where n.tenant_id = ${tenant_id} and n.user_id = ${account_id}
        order by n.sequence desc limit 10000`,
    ],
  ]
}
