/**
 * Begins the upload of an attachment for one conversation. The uploads surface handles the file.
 */
import { Type, type Static } from 'typebox'
import { closed, count, Id, newId, sql, text } from '#dodeca/kernel'
import type { Place, Principal, Tx } from '#dodeca/kernel'
import { requireSeat } from '../conversations/seat.ts'
import type { Deps } from '../deps.ts'

export const StartUpload = closed(
  {
    conversation_id: Id,
    filename: Type.Optional(text(255)),
    claimed_type: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,120}( *;[ -~]*)?$',
        maxLength: 200,
      }),
    ),
    expected_size: count(1, 50 * 1024 ** 3),
    checksum: Type.Optional(Type.String({ pattern: '^sha256:[0-9a-fA-F]{64}$', maxLength: 71 })),
  },
  { title: 'StartAttachment' },
)
type StartUpload = Static<typeof StartUpload>

export type Caller = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

const orderOf = ({ conversation_id: _in, ...file }: StartUpload) => ({
  ...file,
  purpose: 'chat_attachment' as const,
  media_category: 'any' as const,
})

/**
 * Checked before the transaction, so that people who are not members create nothing in the store.
 */
export async function prepareUpload(
  deps: Deps,
  caller: Caller,
  asked: StartUpload,
): Promise<Place> {
  const { id: user_id, tenant_id } = caller.principal
  await requireSeat(deps.kernel.db, { tenant_id, id: asked.conversation_id, user_id })
  return await deps.files.prepareUpload(caller, orderOf(asked))
}

export async function startUpload(
  tx: Tx,
  { files, kernel }: Deps,
  caller: Caller,
  asked: StartUpload,
  place: Place,
) {
  const upload = await files.createUpload(tx, caller, orderOf(asked), place)
  const id = newId()
  const { id: uploader_id, tenant_id } = caller.principal
  await tx.run(sql`
    insert into chat.attachments (tenant_id, id, conversation_id, uploader_id, upload_id, filename,
      media_type, size, expires_at)
    values (${tenant_id}, ${id}, ${asked.conversation_id}, ${uploader_id}, ${upload.upload_id},
      ${asked.filename ?? null}, ${asked.claimed_type?.split(/ *;/, 1)[0] ?? null}, ${asked.expected_size},
      kernel.now() + make_interval(hours => ${kernel.settings['chat.attachment_hours']}))`)
  return { attachment_id: id, upload }
}
