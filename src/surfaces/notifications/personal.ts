/**
 * The data that notifications stores about a person, in every tenant: its export and its erasure.
 * No index begins with the person, because every message would pay for it. So the tenants are looked
 * through, with two steps in an index for each.
 */
import { Type } from 'typebox'
import { sql, type Personal, type PersonalAccount } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'

const Tenant = Type.Object({ tenant_id: Type.String() })

export function personal(deps: Deps): Personal {
  const { db } = deps.kernel
  return {
    export: async function* (account) {
      const { account_id: user_id, principal_ids } = account
      for (const tenant_id of await tenantsOf(deps, account)) {
        yield* exportPerson(deps, { tenant_id, user_id, principal_ids })
      }
    },
    erase: async (account, signal) => {
      const { account_id: user_id } = account
      for (const tenant_id of await tenantsOf(deps, account)) {
        signal.throwIfAborted()
        await db.tx(tx => erasePerson(tx, deps, { tenant_id, user_id }))
        await db.run(sql`
          update notifications.notification_intents set idempotency_key = null
          where tenant_id = ${tenant_id} and principal_id = any(${account.principal_ids}::uuid[])
            and idempotency_key is not null`)
      }
    },
    // The phone or mailbox of a stranger must not get the messages of the new owner.
    suspend: async account => {
      const { account_id, made_before } = account
      for (const tenant_id of await tenantsOf(deps, account)) {
        await db.run(sql`
          delete from notifications.destinations
          where tenant_id = ${tenant_id} and user_id = ${account_id}
            and created_at <= ${made_before}::timestamptz`)
      }
    },
  }
}

/** The tables of people, and the column that names the person. An index begins with the tenant and it. */
const tables = [
  ['data_keys', 'owner_id'],
  ['destinations', 'user_id'],
  ['inboxes', 'user_id'],
  ['notification_batches', 'principal_id'],
  ['notification_intents', 'recipient_ref'],
  // The index of senders has their keys only.
  ['notification_intents', 'principal_id', sql`and o.idempotency_key is not null`],
  ['preference_sets', 'user_id'],
] as const

async function tenantsOf(
  { kernel: { db } }: Deps,
  { account_id, principal_ids }: PersonalAccount,
): Promise<string[]> {
  const people = {
    owner_id: sql`${account_id}::uuid`,
    user_id: sql`${account_id}::uuid`,
    principal_id: sql`any(${principal_ids}::uuid[])`,
    recipient_ref: sql`${`user:${account_id}`}`,
  }
  const found = new Set<string>()
  for (const [table, column, only = sql``] of tables) {
    const name = sql`notifications.${sql.id(table)}`
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
          where o.tenant_id = b.tenant_id and o.${sql.id(column)} = ${people[column]} ${only})`,
    )
    for (const { tenant_id } of rows) found.add(tenant_id)
  }
  return [...found]
}
