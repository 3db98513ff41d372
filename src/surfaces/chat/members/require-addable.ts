/**
 * Checks who may be added: active accounts of the tenant that do not block the caller. All others
 * get the same error, so that the error reveals nothing about them.
 */
import { Type } from 'typebox'
import { sql, type FieldError, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

/** The list of a request that names people, in lower case. */
export type Named = { readonly member: string; readonly ids: readonly string[] }

const Near = Type.Object({ user_id: Type.String() })
/** More transactions that add one person do not run at once. */
const spare = 100

export async function requireAddable(
  tx: Tx,
  { people, blocks }: Pick<Deps, 'people' | 'blocks'>,
  actor: { readonly id: string; readonly tenant_id: string },
  user_ids: readonly string[],
  named: Named,
): Promise<void> {
  const { tenant_id } = actor
  const known = await people.membersOf(tx, tenant_id, user_ids)
  const pairs = user_ids.map(other => [actor.id, other] as const)
  const blocked = await blocks.blockedPairs(tx, tenant_id, pairs)
  const unknown = user_ids.filter((id, at) => !known.has(id) || blocked[at])
  if (unknown.length > 0) {
    throw problem('member_unknown', { errors: placesOf(named, unknown, 'exists') })
  }
}

/** Where these people stand in the request. */
export function placesOf(
  { member, ids }: Named,
  people: readonly string[],
  constraint: string,
): FieldError[] {
  return people.map(id => ({
    location: 'body',
    pointer: `/${member}/${ids.indexOf(id)}`,
    constraint,
  }))
}

/** Limits the conversations of each one who joins. */
export async function requirePlaces(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  joining: readonly string[],
): Promise<void> {
  const most = kernel.settings['chat.conversations_max']
  for (const user_id of await findNear(tx, tenant_id, joining, most)) {
    await kernel.counted(
      tx,
      `chat.conversations:${tenant_id}:${user_id}`,
      most,
      activeOf(tenant_id, user_id),
    )
  }
}

/** Limits the conversations of each one who joins, and the people that one person adds. */
export async function requireRoom(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  actor: { readonly id: string; readonly tenant_id: string },
  joining: readonly string[],
): Promise<void> {
  const { kernel } = deps
  const { tenant_id } = actor
  await requirePlaces(tx, deps, tenant_id, joining)
  await kernel.take(
    tx,
    [
      {
        name: 'chat.members_added',
        of: `${tenant_id} ${actor.id}`,
        many: kernel.settings['chat.members_added_per_day'],
        per_seconds: 86_400,
      },
    ],
    { cost: joining.filter(one => one !== actor.id).length },
  )
}

/**
 * The people who may reach the limit, in one order for all writers. Only they are counted under a
 * lock: a group has a thousand of them.
 */
async function findNear(
  tx: Tx,
  tenant_id: string,
  joining: readonly string[],
  most: number,
): Promise<readonly string[]> {
  if (most <= spare) return joining.toSorted()
  const near = await tx.many(
    Near,
    sql`
      select user_id from chat.conversation_members
      where tenant_id = ${tenant_id} and user_id = any(${joining}::uuid[])
        and left_sequence is null
      group by user_id having count(*) > ${most - spare} order by user_id`,
  )
  return near.map(one => one.user_id)
}

function activeOf(tenant_id: string, user_id: string): Sql {
  return sql`
    select from chat.conversation_members
    where tenant_id = ${tenant_id} and user_id = ${user_id} and left_sequence is null`
}
