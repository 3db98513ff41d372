/**
 * The purposes of files: those of the platform, and those that surfaces of an application declare.
 * The surface that uses a purpose says who else may read its files.
 */
import type { FilePurpose } from '#dodeca/kernel'
import type { Category } from './media-types.ts'
import type { Kernel } from './settings.ts'

export const purposes = [
  'avatar',
  'product_media',
  'post_media',
  'chat_attachment',
  'document_ingest',
  'job_input',
  'generic',
] as const
export type Purpose = (typeof purposes)[number] | `${string}.${string}`
export const derivative_kinds = ['thumbnail', 'preview', 'sanitized'] as const
export type DerivativeKind = (typeof derivative_kinds)[number]

export type Purposes = ReadonlyMap<string, FilePurpose>

export function openPurposes({
  settings,
  declared,
}: Pick<Kernel, 'settings' | 'declared'>): Purposes {
  return new Map([...Object.entries(builtIn(settings)), ...Object.entries(declared.purposes)])
}

function builtIn(settings: Kernel['settings']): Record<(typeof purposes)[number], FilePurpose> {
  const member = { members: true, checksum: 'deferred', erased: true } as const
  const pictures = ['thumbnail', 'preview', 'sanitized'] as const
  return {
    avatar: {
      ...member,
      largest: { image: settings['uploads.avatar_bytes'] },
      derivatives: ['thumbnail', 'sanitized'],
    },
    product_media: {
      largest: { image: settings['uploads.product_media_bytes'] },
      members: false,
      checksum: 'required',
      erased: false,
      derivatives: pictures,
    },
    post_media: {
      ...member,
      largest: {
        image: settings['uploads.post_image_bytes'],
        video: settings['uploads.post_video_bytes'],
      },
      derivatives: pictures,
    },
    chat_attachment: {
      ...member,
      largest: { any: settings['uploads.chat_attachment_bytes'] },
      derivatives: pictures,
    },
    document_ingest: {
      ...member,
      checksum: 'required',
      largest: {
        document: settings['uploads.document_bytes'],
        image: settings['uploads.document_bytes'],
        text: settings['uploads.document_bytes'],
      },
      derivatives: [],
    },
    job_input: {
      ...member,
      checksum: 'required',
      largest: { any: settings['uploads.generic_bytes'] },
      derivatives: [],
    },
    generic: {
      ...member,
      largest: { any: settings['uploads.generic_bytes'] },
      derivatives: [],
    },
  }
}

/** Returns undefined if the purpose does not accept the category. */
export function largestOf({ largest }: FilePurpose, category: Category): number | undefined {
  return largest[category] ?? largest.any
}
