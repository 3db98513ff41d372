/**
 * The purposes of files. A purpose says which categories and sizes it accepts, which derivatives
 * are made of images, and whether every member may use it. The surface that uses the purpose says
 * who else may read its files.
 */
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
export type Purpose = (typeof purposes)[number]
export const derivative_kinds = ['thumbnail', 'preview', 'sanitized'] as const
export type DerivativeKind = (typeof derivative_kinds)[number]

export type PurposeRules = {
  /** The largest file of each category. `any` accepts every category. */
  readonly largest: Partial<Record<Category, number>>
  /** Whether every member may upload files for this purpose. */
  readonly members: boolean
  /**
   * The derivatives of images. `sanitized` is required, because readers other than the owner get
   * it.
   */
  readonly derivatives: readonly DerivativeKind[]
  /** Whether the client may send the checksum at completion instead of at the beginning. */
  readonly checksum: 'required' | 'deferred'
  /** Whether the files are deleted when their owner's account is erased. */
  readonly erased: boolean
}

export type Purposes = Readonly<Record<Purpose, PurposeRules>>

export function openPurposes({ settings }: Pick<Kernel, 'settings'>): Purposes {
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
export function largestOf({ largest }: PurposeRules, category: Category): number | undefined {
  return largest[category] ?? largest.any
}
