/**
 * The data that notifications stores about a person, in every tenant: its export and its erasure.
 * No index begins with the person, because every message would pay for it. So the tenants are looked
 * through, with two steps in an index for each.
 */
import { Type } from 'typebox'
import { sql, type Sql } from '../../kernel/database/sql.ts'
import { rowsById, type Personal } from '../../kernel/work/personal.ts'
import type { Deps } from './deps.ts'
import { erasePerson } from './erase-person.ts'

const Row = Type.Object({ id: Type.String(), data: Type.Unknown() })
const Tenant = Type.Object({ tenant_id: Type.String() })
const portion = 500

type Person = { readonly tenant_id: string; readonly user_id: string }

export function personal(deps: Deps): Personal {
  const { db } = deps.kernel
  return {
    export: async function* ({ account_id: user_id }) {
      for (const tenant_id of await tenantsOf(deps, user_id)) {
        for (const [kind, read] of records({ tenant_id, user_id })) {
          const fetch = (after: string | null) => db.many(Row, read(after))
          for await (const { data } of rowsById(portion, fetch)) yield { kind, data }
        }
      }
    },
    erase: async ({ account_id: user_id }, signal) => {
      for (const tenant_id of await tenantsOf(deps, user_id)) {
        signal.throwIfAborted()
        await db.tx(tx => erasePerson(tx, deps, { tenant_id, user_id }))
      }
    },
    // The phone or mailbox of a stranger must not get the messages of the new owner.
    suspend: async ({ account_id, made_before }) => {
      for (const tenant_id of await tenantsOf(deps, account_id)) {
        await db.run(sql`
          delete from notifications.destinations
          where tenant_id = ${tenant_id} and user_id = ${account_id}
            and created_at <= ${made_before}::timestamptz`)
      }
    },
  }
}

/** The tables of people, and the column that names the person. An index begins with the tenant and it. */
const tables = {
  data_keys: 'owner_id',
  destinations: 'user_id',
  inboxes: 'user_id',
  notification_intents: 'recipient_ref',
  preference_sets: 'user_id',
} as const

async function tenantsOf({ kernel: { db } }: Deps, user_id: string): Promise<string[]> {
  const found = new Set<string>()
  for (const [table, column] of Object.entries(tables)) {
    const name = sql`notifications.${sql.id(table)}`
    const person = column === 'recipient_ref' ? sql`${`user:${user_id}`}` : sql`${user_id}::uuid`
    const rows = await db.many(
      Tenant,
      sql`
        -- any tenant: the data of one person
        with recursive tenants as (
          (select t.tenant_id from ${name} t order by t.tenant_id limit 1)
          union all
          select (select t.tenant_id from ${name} t where t.tenant_id > b.tenant_id
            order by t.tenant_id limit 1)
          from tenants b where b.tenant_id is not null
        )
        select b.tenant_id from tenants b
        where exists (select from ${name} o
          where o.tenant_id = b.tenant_id and o.${sql.id(column)} = ${person})`,
    )
    for (const { tenant_id } of rows) found.add(tenant_id)
  }
  return [...found]
}

type Read = (after: string | null) => Sql

function records({ tenant_id, user_id }: Person): readonly [string, Read][] {
  return [
    [
      'notification_preference',
      after => sql`
        select p.id, p.data from (
          select md5(p.category || ' ' || p.channel)::uuid as id, to_jsonb(p) - 'tenant_id' as data
          from notifications.preferences p
          where p.tenant_id = ${tenant_id} and p.user_id = ${user_id}) p
        where ${after}::uuid is null or p.id > ${after}::uuid
        order by p.id limit ${portion}`,
    ],
    [
      'notification_destination',
      after => sql`
        select d.id, jsonb_build_object('channel', d.channel, 'destination', d.masked,
          'verified_at', d.verified_at, 'created_at', d.created_at) as data
        from notifications.destinations d
        where d.tenant_id = ${tenant_id} and d.user_id = ${user_id}
          and (${after}::uuid is null or d.id > ${after}::uuid)
        order by d.id limit ${portion}`,
    ],
    [
      'notification',
      after => sql`
        select i.id, jsonb_build_object('id', i.id, 'category', i.category, 'state', i.state,
          'template', i.template_version, 'created_at', i.created_at) as data
        from notifications.notification_intents i
        where i.tenant_id = ${tenant_id} and i.recipient_ref = ${`user:${user_id}`}
          and (${after}::uuid is null or i.id > ${after}::uuid)
        order by i.id limit ${portion}`,
    ],
    [
      'inbox_item',
      after => sql`
        select n.id, to_jsonb(n) - 'tenant_id' - 'user_id' as data from notifications.inbox_items n
        where n.tenant_id = ${tenant_id} and n.user_id = ${user_id}
          and (${after}::uuid is null or n.id > ${after}::uuid)
        order by n.id limit ${portion}`,
    ],
  ]
}
