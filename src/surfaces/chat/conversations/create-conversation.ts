/**
 * Creates a group, or finds or creates the direct conversation of two people. If several first
 * requests race, the unique key of the pair lets one create it, and the others find it.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announce } from '../events.ts'
import { requireAddable, requireRoom } from '../members/require-addable.ts'
import type { Key, Role, Seat } from '../schemas.ts'
import { normalTitle } from './normal-title.ts'
import type { CreateConversation } from './schemas.ts'

const Made = Type.Object({ id: Type.String() })

export type Creation = { readonly seat: Seat; readonly created: boolean }

export async function createConversation(
  tx: Tx,
  deps: Deps,
  creator: { readonly id: string; readonly tenant_id: string },
  asked: CreateConversation,
): Promise<Creation> {
  const { id: user_id, tenant_id } = creator
  const others = asked.member_ids.filter(id => id !== user_id)
  checkShape(deps, asked, others)
  const title = asked.title === undefined ? null : normalTitle(deps.kernel, asked.title)
  const named = { member: 'member_ids', ids: asked.member_ids }
  await requireAddable(tx, deps, creator, others, named)
  const id = newId()
  const direct_key = asked.type === 'direct' ? [user_id, ...others].toSorted().join(' ') : null
  const made = await tx.maybe(
    Made,
    sql`
      insert into chat.conversations (tenant_id, id, type, title, direct_key, created_by,
        member_count, data_key)
      values (${tenant_id}, ${id}, ${asked.type}, ${title}, ${direct_key},
        ${user_id}, ${others.length + 1}, ${deps.cipher.newKey(id)})
      on conflict on constraint conversations_direct do nothing
      returning id`,
  )
  if (!made)
    return { seat: { ...(await findDirect(tx, tenant_id, direct_key)), user_id }, created: false }
  await requireRoom(tx, deps, creator, [user_id, ...others])
  await deps.kernel.take(tx, [
    {
      name: 'chat.conversations',
      of: `${tenant_id} ${user_id}`,
      many: deps.kernel.settings['chat.conversations_per_hour'],
      per_seconds: 3600,
    },
  ])
  const role = (one: string): Role =>
    asked.type === 'group' && one === user_id ? 'owner' : 'member'
  const members = [user_id, ...others].map(one => ({ user_id: one, role: role(one) }))
  const key = { tenant_id, id }
  await seat(tx, deps, key, members)
  announce(tx, 'conversation.created', key, 1, { type: asked.type, created_by: user_id })
  return { seat: { ...key, user_id }, created: true }
}

/** The first members of a conversation. */
export async function seat(
  tx: Tx,
  { live }: Pick<Deps, 'live'>,
  key: Key,
  members: readonly { readonly user_id: string; readonly role: Role }[],
): Promise<void> {
  await tx.run(sql`
    insert into chat.conversation_members (tenant_id, conversation_id, user_id, role,
      joined_sequence, revision)
    select ${key.tenant_id}, ${key.id}, n.user_id, n.role, 0, 1
    from ${sql.table(members, { user_id: 'uuid', role: 'text' })} n`)
  tx.afterCommit(() =>
    live.joined(
      key,
      members.map(one => one.user_id),
    ),
  )
}

function checkShape({ kernel }: Deps, asked: CreateConversation, others: readonly string[]): void {
  const refuse = (pointer: string, constraint: string, detail: string) =>
    problem('validation_failed', { detail, errors: [{ location: 'body', pointer, constraint }] })
  if (asked.type === 'direct') {
    if (others.length !== 1 || asked.member_ids.length !== 1) {
      throw refuse('/member_ids', 'maxItems', 'A direct conversation has exactly one other member.')
    }
    if (asked.title !== undefined) {
      throw refuse('/title', 'not', 'A direct conversation has no title.')
    }
  }
  const most = kernel.settings['chat.group_members']
  if (others.length + 1 > most) {
    throw problem('group_too_large', { detail: `A group has at most ${most} members.` })
  }
}

async function findDirect(tx: Tx, tenant_id: string, direct_key: string | null) {
  const { id } = await tx.one(
    Made,
    sql`
      select id from chat.conversations
      where tenant_id = ${tenant_id} and direct_key = ${direct_key}`,
  )
  return { tenant_id, id }
}
