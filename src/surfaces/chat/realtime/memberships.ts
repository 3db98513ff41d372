/** Queries about memberships for the sockets of a process. */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Bytes, Role } from '../schemas.ts'

const Own = Type.Object({
  conversation_id: Type.String(),
  role: Role,
  member_revision: Type.Integer(),
  joined_sequence: Type.Integer(),
  last_read_sequence: Type.Integer(),
  latest_sequence: Type.Integer(),
  revision: Type.Integer(),
  member_count: Type.Integer(),
  direct_key: nullable(Type.String()),
  title: nullable(Type.String()),
  state: Type.String(),
  data_key: Bytes,
})
export type OwnMembership = Static<typeof Own>

type Person = { readonly tenant_id: string; readonly user_id: string }

/** All active memberships of a person, or those in some conversations. */
export async function readMemberships(
  reader: Reader,
  { tenant_id, user_id }: Person,
  ids: readonly string[] | null = null,
): Promise<OwnMembership[]> {
  return await reader.many(
    Own,
    sql`
      select b.conversation_id, b.role, b.revision as member_revision, b.joined_sequence,
        b.last_read_sequence, c.latest_sequence, c.revision, c.member_count, c.direct_key, c.title, c.state, c.data_key
      from chat.conversation_members b
      join chat.conversations c on c.tenant_id = b.tenant_id and c.id = b.conversation_id
      where b.tenant_id = ${tenant_id} and b.user_id = ${user_id} and b.left_sequence is null
        and (${ids === null} or b.conversation_id = any(${ids ? [...ids] : []}::uuid[]))`,
  )
}

const Id = Type.Object({ user_id: Type.String() })

/**
 * The people among these who share a conversation with the person now. There is no block between
 * them and the person.
 */
export async function findAcquainted(
  { kernel: { db }, blocks }: Pick<Deps, 'kernel' | 'blocks'>,
  { tenant_id, user_id }: Person,
  user_ids: readonly string[],
): Promise<string[]> {
  const rows = await db.many(
    Id,
    sql`
      select w.user_id from unnest(${[...new Set(user_ids)]}::uuid[]) w (user_id)
      where exists (
        select from chat.conversation_members o
        join chat.conversation_members b on b.tenant_id = o.tenant_id
          and b.conversation_id = o.conversation_id and b.user_id = ${user_id}
          and b.left_sequence is null
        where o.tenant_id = ${tenant_id} and o.user_id = w.user_id and o.left_sequence is null)`,
  )
  const pairs = rows.map(row => [user_id, row.user_id] as const)
  const blocked = await blocks.blockedPairs(db, tenant_id, pairs)
  return rows.filter((_, at) => !blocked[at]).map(row => row.user_id)
}

const Behind = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  revision: Type.Integer(),
})

/** The conversations among these that are not at the revision any more. */
export async function findBehind(
  reader: Reader,
  known: readonly {
    readonly tenant_id: string
    readonly id: string
    readonly known_revision: number
  }[],
) {
  return await reader.many(
    Behind,
    sql`
      select c.tenant_id, c.id, c.revision
      from ${sql.table(known, { tenant_id: 'uuid', id: 'uuid', known_revision: 'int8' })} k
      join chat.conversations c on c.tenant_id = k.tenant_id and c.id = k.id
      where c.revision <> k.known_revision`,
  )
}

const Joined = Type.Object({
  tenant_id: Type.String(),
  conversation_id: Type.String(),
  user_id: Type.String(),
})

/** Recent memberships, for people whose notification may have been lost. */
export async function findJoined(reader: Reader, user_ids: readonly string[], seconds: number) {
  return await reader.many(
    Joined,
    sql`
      -- any tenant: the people with sockets in this process
      select tenant_id, conversation_id, user_id from chat.conversation_members
      where changed_at > clock_timestamp() - make_interval(secs => ${seconds})
        and left_sequence is null and user_id = any(${[...user_ids]}::uuid[])
      limit 10000`,
  )
}
