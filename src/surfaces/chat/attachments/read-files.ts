/**
 * Decides who may read the file of an attachment: everyone who may see the message that contains
 * it.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const Row = Type.Object({ file_id: Type.String() })

export function plugAttachments({ files }: Pick<Deps, 'files'>): void {
  files.plugReaders('chat_attachment', async (reader, { id: user_id, tenant_id }, file_ids) => {
    const rows = await reader.many(
      Row,
      sql`
        select a.file_id from chat.attachments a
        join chat.messages m on m.tenant_id = a.tenant_id
          and m.conversation_id = a.conversation_id and m.id = a.message_id
        join chat.conversation_members b on b.tenant_id = a.tenant_id
          and b.conversation_id = a.conversation_id and b.user_id = ${user_id}
        where a.tenant_id = ${tenant_id} and a.file_id = any(${[...file_ids]}::uuid[])
          and m.deleted_at is null and m.sequence > b.joined_sequence
          and m.sequence <= coalesce(b.left_sequence, m.sequence)`,
    )
    return new Set(rows.map(row => row.file_id))
  })
}
