/** The route that begins the upload of an attachment. */
import { Type } from 'typebox'
import { count, Id, nullable, oneOf, routesOf, text, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { prepareUpload, startUpload, StartUpload } from './start-upload.ts'

const Url = Type.String({ maxLength: 4096 })
const Headers = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }))

/** The unchanged reply of `POST /v1/uploads`. */
const Upload = Type.Object(
  {
    id: Id,
    upload_id: Id,
    object_key: text(200),
    state: oneOf('initiated', 'uploaded', 'available', 'quarantined', 'aborted', 'expired'),
    quarantined: Type.Boolean(),
    part_size: count(0, Number.MAX_SAFE_INTEGER),
    part_count: count(1, 10_000),
    upload_url: nullable(Url),
    upload_headers: nullable(Headers),
    part_urls: nullable(
      Type.Array(
        Type.Object({
          part_number: count(1, 10_000),
          url: Url,
          method: oneOf('PUT'),
          headers: Headers,
          offset: count(0, Number.MAX_SAFE_INTEGER),
          size: count(0, Number.MAX_SAFE_INTEGER),
          expires_at: Time,
        }),
        { maxItems: 100 },
      ),
    ),
    next_part_number: nullable(count(1, 10_000)),
    max_parallel_parts: count(1, 1000),
    expires_at: Time,
  },
  { title: 'AttachmentUpload' },
)
const Started = Type.Object({ attachment_id: Id, upload: Upload }, { title: 'StartedAttachment' })

const { open, create } = routesOf<Deps>()

export const attachmentRoutes = open({
  startAttachment: create(
    '/v1/attachments/uploads',
    'Begin the upload of an attachment',
    {
      tool: 'never',
      description:
        'Send the parts and complete the upload as with `POST /v1/uploads`, then send a message with the `attachment_id`. Until it is sent, only you can read the file.',
      permission: 'authenticated',
      rate_tenant: false,
      body: StartUpload,
      reply: Started,
      fails: [
        'conversation_not_found',
        'not_a_member',
        'permission_denied',
        'content_too_large',
        'type_not_allowed',
        'storage_unavailable',
        'storage_full',
        'quota_exceeded',
      ],
    },
    {
      prepare: ({ principal, grants, body }, deps) =>
        prepareUpload(deps, { principal, grants }, body),
      handle: async ({ tx, principal, grants, body, prepared }, deps) =>
        await startUpload(tx, deps, { principal, grants }, body, prepared),
    },
  ),
})
