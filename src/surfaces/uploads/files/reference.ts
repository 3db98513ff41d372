/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const filesReference: Reference['members'] = {
  ...ofNoun('Derivative', {
    state: 'It can be read when it is `ready`.',
    size: 'The bytes of the made picture.',
    checksum: 'The SHA-256 of the made picture.',
    width: 'Its width in pixels.',
    height: 'Its height in pixels.',
  }),
  ...ofNoun('File', {
    'metadata.width': 'The width of the picture in pixels.',
    'metadata.height': 'The height of the picture in pixels.',
  }),
  ...ofNoun('DownloadUrls', {
    'data.expires_at': 'Until then the address works.',
  }),
  ...ofNoun('DownloadUrl', {
    expires_at: 'Until then the address works.',
  }),
  ...ofNoun('ScanResult', {
    engines: 'What has looked at the file.',
    'engines.name': 'The name of the scanner.',
    'engines.version': 'Its version.',
    sha256: 'The checksum of the bytes that were scanned.',
    scanned_at: 'When the scan ended.',
  }),
  ...ofNoun('Derivative', {
    media_type: 'The type of the made picture; null until it is ready.',
  }),
  ...ofNoun('File', {
    owner_id: 'The account or key that uploaded the file.',
    'metadata.frames': 'The pictures of an animation.',
    'metadata.entries': 'The entries of an archive.',
    'metadata.expanded_bytes': 'The bytes of an archive when it is unpacked.',
    'metadata.pages': 'The pages of a document.',
    available_at: 'When it could be read for the first time.',
    deleted_at: 'When it was deleted.',
  }),
  ...ofNoun('DownloadUrls', {
    'data.url': 'Where the file is read; null if it may not be read.',
    'data.code': 'Why it may not be read.',
  }),
  ...ofNoun('AskDownloadUrls', {
    files: 'The files to read, each with its derivative if one is meant.',
  }),
  ...ofNoun('DownloadUrl', {
    url: 'Where the file is read, by everybody who has the address.',
    method: 'How the file is read.',
  }),
  ...ofNoun('Rescan', {
    id: 'The id of the file.',
    status: 'The file waits for another scan.',
  }),
}
