/**
 * Checks that conversations are consistent after every commit. They run in doctor and in the chaos
 * tests.
 */
import { Type } from 'typebox'
import { sql, type Check, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

const rules: readonly { readonly name: string; readonly says: string; readonly statement: Sql }[] =
  [
    {
      name: 'dense',
      says: 'The sequences of a conversation are 1 to latest_sequence without a gap',
      statement: sql`
      -- any tenant: all of them
      select 'conversation ' || c.id || ' is at ' || c.latest_sequence || ' with ' || m.n
        || ' messages up to ' || m.top as says
      from chat.conversations c
      left join lateral (
        select count(*) as n, coalesce(max(sequence), 0) as top from chat.messages m
        where m.tenant_id = c.tenant_id and m.conversation_id = c.id) m on true
      where m.n <> c.latest_sequence or m.top <> c.latest_sequence
      limit 100`,
    },
    {
      name: 'members',
      says: 'A conversation counts its active members, and a group with members has one owner',
      statement: sql`
      -- any tenant: all of them
      select 'conversation ' || c.id || ' counts ' || c.member_count || ' members of ' || b.n
        || ' with ' || b.owners || ' owners' as says
      from chat.conversations c
      left join lateral (
        select count(*) as n, count(*) filter (where b.role = 'owner') as owners
        from chat.conversation_members b
        where b.tenant_id = c.tenant_id and b.conversation_id = c.id
          and b.left_sequence is null) b on true
      where b.n <> c.member_count or (c.type = 'group' and b.n > 0 and b.owners <> 1)
      limit 100`,
    },
    {
      name: 'revisions',
      says: 'No message or member has a revision above that of its conversation',
      statement: sql`
      -- any tenant: all of them
      select 'conversation ' || c.id || ' is at revision ' || c.revision as says
      from chat.conversations c
      where exists (select from chat.messages m where m.tenant_id = c.tenant_id
          and m.conversation_id = c.id and m.revision > c.revision)
        or exists (select from chat.conversation_members b where b.tenant_id = c.tenant_id
          and b.conversation_id = c.id and b.revision > c.revision)
      limit 100`,
    },
    {
      name: 'shredded',
      says: 'Nothing is left of the texts of deleted messages',
      statement: sql`
      -- any tenant: all of them
      select 'message ' || m.id || ' is deleted and has a text' as says
      from chat.messages m
      join chat.message_versions v on v.tenant_id = m.tenant_id
        and v.conversation_id = m.conversation_id and v.message_id = m.id
      where m.deleted_at is not null
      limit 100`,
    },
  ]

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  return rules.map(({ name, says, statement }) => ({
    name: `chat.${name}`,
    says,
    run: async () => (await db.many(Fault, statement)).map(row => row.says),
  }))
}
