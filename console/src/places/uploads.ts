/** The place of uploads: files and running uploads. */
import { FilePreview } from '../panels/file-preview.tsx'
import { resource, type Place } from '../resource.ts'

export const uploads: Place = {
  name: 'uploads',
  title: { en: 'Uploads', de: 'Dateien' },
  resources: [
    resource({
      name: 'files',
      title: { en: 'Files', de: 'Dateien' },
      list: 'listFiles',
      read: 'getFile',
      create: 'createUpload',
      columns: ['filename', 'state', 'detected_type', 'size', 'purpose', 'created_at', 'id'],
      events: ['file.', 'upload.'],
      panel: FilePreview,
      actions: [
        { by: 'getFileDownloadUrl', in: ['available'] },
        'rescanFile',
        { by: 'deleteFile', hurts: true },
      ],
    }),
    resource({
      name: 'uploads',
      title: { en: 'Uploads under way', de: 'Laufende Uploads' },
      list: 'listUploads',
      read: 'getUpload',
      columns: ['filename', 'state', 'expected_size', 'purpose', 'created_at', 'expires_at', 'id'],
      events: ['upload.'],
      actions: [
        { by: 'completeUpload', in: ['initiated'] },
        { by: 'abortUpload', hurts: true, in: ['initiated'] },
      ],
    }),
  ],
}
