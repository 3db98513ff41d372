/**
 * Applies the state of files to their attachments. The state of a sent attachment is part of its
 * message, so a new state is a change of the conversation. The conversation is locked first, in the
 * same order as when a message takes a file.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Id, nullable, sql, type Consumer, type Tx } from '#dodeca/kernel'
import { endChanges, lockConversation, nextChange } from '../conversations/change.ts'
import type { Deps } from '../deps.ts'

type State = 'processing' | 'available' | 'rejected' | 'deleted'

/** For each event, the new state of the attachment and the states that may precede it. */
const states: Readonly<Record<string, readonly [to: State, from: readonly string[]]>> = {
  'file.available': ['available', ['pending', 'processing']],
  'file.quarantined': ['rejected', ['pending', 'processing', 'available']],
  'upload.rejected': ['rejected', ['pending', 'processing']],
  'upload.aborted': ['rejected', ['pending', 'processing']],
  'upload.expired': ['rejected', ['pending', 'processing']],
  'file.deleted': ['deleted', ['pending', 'processing', 'available', 'rejected']],
}

const Payload = Type.Object({
  upload_id: Type.Optional(Id),
  file_id: Type.Optional(Id),
  detected_type: Type.Optional(nullable(Type.String())),
})
type Payload = Static<typeof Payload>
const Found = Type.Object({ id: Type.String(), conversation_id: Type.String() })
const Moved = Type.Object({ message_id: nullable(Type.String()) })

/** In the transaction of the completion: after its reply the attachment can be sent. */
export function plugCompleted({ files, kernel }: Pick<Deps, 'files' | 'kernel'>): void {
  const hours = kernel.settings['chat.attachment_hours']
  files.plugCompleted('chat_attachment', async (tx, { tenant_id, upload_id, file_id }) => {
    await tx.run(sql`
      update chat.attachments set state = 'processing', file_id = ${file_id},
        expires_at = kernel.now() + make_interval(hours => ${hours})
      where tenant_id = ${tenant_id} and upload_id = ${upload_id} and state = 'pending'`)
  })
}

export function followFiles(deps: Pick<Deps, 'live' | 'kernel'>): Consumer {
  return {
    name: 'chat.files',
    events: Object.keys(states),
    run: async (tx, { type, tenant_id, payload }) => {
      if (!Value.Check(Payload, payload)) throw new Error(`not an event of a file: ${type}`)
      await moveAttachment(tx, deps, tenant_id, type, payload)
    },
  }
}

async function moveAttachment(
  tx: Tx,
  deps: Pick<Deps, 'live' | 'kernel'>,
  tenant_id: string,
  type: string,
  { upload_id, file_id, detected_type }: Payload,
): Promise<void> {
  const [to, from] = states[type] ?? []
  if (!to || !from) return
  const found = await tx.maybe(
    Found,
    sql`
      select id, conversation_id from chat.attachments
      where tenant_id = ${tenant_id}
        and (upload_id = ${upload_id ?? null}::uuid or file_id = ${file_id ?? null}::uuid)
      limit 1`,
  )
  if (!found) return
  const conversation = await lockConversation(tx, { tenant_id, id: found.conversation_id })
  const moved = await tx.maybe(
    Moved,
    sql`
      update chat.attachments
      set state = ${to},
        file_id = coalesce(file_id, ${file_id ?? null}::uuid),
        media_type = coalesce(${detected_type ?? null}, media_type)
      where tenant_id = ${tenant_id} and id = ${found.id} and state = any(${[...from]}::text[])
      returning message_id`,
  )
  if (!moved?.message_id) return
  const message = await tx.maybe(
    Type.Object({
      sequence: Type.Integer(),
      sender_id: Type.String(),
      version: Type.Integer(),
    }),
    sql`
      select sequence, sender_id, version from chat.messages
      where tenant_id = ${tenant_id} and conversation_id = ${conversation.id}
        and id = ${moved.message_id} and deleted_at is null`,
  )
  if (!message) return
  const change = nextChange(tx, conversation, 'message.updated', {
    message_id: moved.message_id,
    ...message,
  })
  await tx.run(sql`
    update chat.messages set revision = ${change.revision}, changed_event_id = ${change.event_id}
    where tenant_id = ${tenant_id} and conversation_id = ${conversation.id}
      and id = ${moved.message_id}`)
  await endChanges(tx, deps, conversation)
}
