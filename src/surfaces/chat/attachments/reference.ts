/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const attachmentsReference: Reference['members'] = {
  ...ofNoun('AttachmentUpload', {
    state: 'The state of the upload. Parts are sent while it is `initiated`.',
  }),
  ...ofNoun('Attachment', {
    state: 'Members can read it when it is `available`.',
  }),
  ...ofNoun('AttachmentUpload', {
    upload_id: 'The same id, as other operations name it.',
    object_key: 'The name of the bytes in the store. Libraries for S3 need it.',
    quarantined: 'True until the file is available, because it cannot be read before.',
    part_size: 'The bytes of each part but the last.',
    part_count: 'How many parts the file has.',
    upload_url: 'Where a file with one part is sent; null if there are several.',
    upload_headers: 'The headers to send to `upload_url`.',
    part_urls: 'Where the first parts are sent; null if there is one part.',
    'part_urls.part_number': 'The number of the part, from 1.',
    'part_urls.url': 'Where its bytes are sent. The address is the credential.',
    'part_urls.method': 'How its bytes are sent.',
    'part_urls.headers': 'The headers to send with its bytes.',
    'part_urls.offset': 'Where the part begins in the file.',
    'part_urls.size': 'The bytes of the part.',
    'part_urls.expires_at': 'Until then the address works.',
    next_part_number: 'The first part without an address here; null if all have one.',
    max_parallel_parts: 'How many parts may be sent at the same time.',
    expires_at: 'When the upload ends if no new part comes.',
  }),
  ...ofNoun('StartedAttachment', {
    attachment_id: 'Name it in a message when the file was sent.',
    upload: 'Where the file is sent.',
  }),
  ...ofNoun('StartAttachment', {
    conversation_id: 'The conversation whose members may read the file.',
    checksum: 'The SHA-256 of the file. Without it, give it at the end.',
  }),
  ...ofNoun('Attachment', {
    file_id: 'The file; null when it was deleted.',
    media_type: 'The type that was found in the bytes.',
    size: 'The bytes of the file.',
  }),
}
