/** Opens a group that belongs to the application: its owner is no person. */
import { Type } from 'typebox'
import { nil_id, nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announce } from '../events.ts'
import type { RoomOrder } from '../face.ts'
import { placesOf, requirePlaces } from '../members/require-addable.ts'
import { Bytes, type Key } from '../schemas.ts'
import { seat } from './create-conversation.ts'
import { normalTitle } from './normal-title.ts'

const Print = Type.Object({ fingerprint: nullable(Bytes) })

export function findPrint(tx: Tx, { tenant_id, id }: Key) {
  return tx.maybe(
    Print,
    sql`
      select order_print as fingerprint from chat.conversations
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
}

type NewRoom = RoomOrder & { readonly id: string; readonly fingerprint: Buffer }

export async function openRoom(tx: Tx, deps: Deps, room: NewRoom): Promise<void> {
  const { kernel, people, cipher } = deps
  const { tenant_id, id, title, fingerprint } = room
  const ids = [...new Set(room.member_ids.map(one => one.toLowerCase()))]
  const most = kernel.settings['chat.group_members']
  if (ids.length + 1 > most) {
    throw problem('group_too_large', { detail: `A group has at most ${most} members.` })
  }
  const known = await people.membersOf(tx, tenant_id, ids)
  const unknown = ids.filter(one => !known.has(one))
  if (unknown.length > 0) {
    const named = { member: 'member_ids', ids }
    throw problem('member_unknown', { errors: placesOf(named, unknown, 'exists') })
  }
  await requirePlaces(tx, deps, tenant_id, ids)
  await tx.run(sql`
    insert into chat.conversations (tenant_id, id, type, title, created_by, member_count, data_key,
      order_print)
    values (${tenant_id}, ${id}, 'group', ${title === undefined ? null : normalTitle(kernel, title)},
      ${nil_id}, ${ids.length + 1}, ${cipher.newKey(id)}, ${fingerprint})`)
  const members = ids.map(user_id => ({ user_id, role: 'member' as const }))
  const key = { tenant_id, id }
  await seat(tx, deps, key, [{ user_id: nil_id, role: 'owner' }, ...members])
  announce(tx, 'conversation.created', key, 1, { type: 'group', created_by: nil_id })
}
