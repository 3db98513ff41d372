/**
 * Messages as a former member saw them last. Of a message that was edited since, the text of that
 * time is kept and shown. Of one that was deleted since, no text is left.
 */
import { Type } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import { Bytes } from '../schemas.ts'
import type { MessageRow } from './message-row.ts'

const Kept = Type.Object({
  message_id: Type.String(),
  version: Type.Integer(),
  body_ref: nullable(Bytes),
  edited_at: nullable(Type.String()),
})

const nothing_left = {
  version: 1,
  edited_at: null,
  deleted_at: null,
  attachments: null,
  body_cipher_or_ref: null,
} as const

/** `leftAt` returns the revision at which the reader left, or null for a member. */
export async function asLeft(
  reader: Reader,
  tenant_id: string,
  rows: readonly MessageRow[],
  leftAt: (row: MessageRow) => number | null,
): Promise<MessageRow[]> {
  const changed = rows.flatMap(row => {
    const left = leftAt(row)
    const { id, conversation_id } = row
    return left !== null && row.revision > left ? [{ id, conversation_id, left }] : []
  })
  if (changed.length === 0) return [...rows]
  const kept = await reader.many(
    Kept,
    sql`
      select distinct on (v.message_id) v.message_id, v.version, v.body_ref,
        (select b.edited_at from chat.message_versions b
          where b.tenant_id = v.tenant_id and b.conversation_id = v.conversation_id
            and b.message_id = v.message_id and b.version = v.version - 1) as edited_at
      from ${sql.table(changed, { id: 'uuid', conversation_id: 'uuid', left: 'int8' })} w
      join chat.message_versions v on v.tenant_id = ${tenant_id}
        and v.conversation_id = w.conversation_id and v.message_id = w.id
        and v.replaced_at_revision > w.left
      order by v.message_id, v.version`,
  )
  const texts = new Map(kept.map(one => [one.message_id, one]))
  const lefts = new Map(changed.map(one => [one.id, one.left]))
  return rows.map(row => {
    const revision = lefts.get(row.id)
    if (revision === undefined) return row
    if (row.deleted_at !== null) {
      return { ...row, ...nothing_left, revision }
    }
    const text = texts.get(row.id)
    // Without one, only its attachments have changed.
    if (!text) return { ...row, revision }
    const { version, body_ref, edited_at } = text
    return { ...row, version, edited_at, revision, body_cipher_or_ref: body_ref }
  })
}
