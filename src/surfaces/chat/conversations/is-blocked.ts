/**
 * Whether the two people of a direct conversation block each other. Then neither sends the other
 * anything. In groups a block changes nothing.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Seated } from './seat.ts'

/** Where social is off, people cannot block each other. */
export const nobodyBlocked: Deps['blocks'] = {
  blockedPairs: (_reader, _tenant_id, pairs) => Promise.resolve(pairs.map(() => false)),
  blocked: () => sql`false`,
}

const Other = Type.Object({ user_id: Type.String() })

export async function isBlocked(
  reader: Reader,
  { blocks }: Pick<Deps, 'blocks'>,
  { tenant_id, id, user_id, type }: Pick<Seated, 'tenant_id' | 'id' | 'user_id' | 'type'>,
): Promise<boolean> {
  if (type !== 'direct') return false
  const other = await reader.maybe(
    Other,
    sql`
      select user_id from chat.conversation_members
      where tenant_id = ${tenant_id} and conversation_id = ${id} and user_id <> ${user_id}`,
  )
  if (!other) return false
  const [blocked] = await blocks.blockedPairs(reader, tenant_id, [[user_id, other.user_id]])
  return blocked === true
}
