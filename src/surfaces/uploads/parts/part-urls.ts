/**
 * URLs of parts. With the local engine they lead to this platform, and the kernel signs them. With
 * S3 they lead to the store. In both cases a URL is valid for one part of exactly its planned size,
 * and ends with the upload.
 */
import { rfc3339, type SignedGrant } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { PartUrl } from '../schemas.ts'
import { placeOf, sizeOfPart, type Plan, type UploadRow } from '../uploads/upload-row.ts'

type Signed = Plan & Pick<UploadRow, 'id' | 'storage_key' | 'multipart_upload_id'>

/** The fields that the signature of a part's URL covers. */
export function partGrant(upload: Signed, part_number: number): SignedGrant {
  return {
    method: 'PUT',
    path: `/_objects/u/${upload.id}/${part_number}`,
    limits: { key: upload.storage_key, size: sizeOfPart(upload, part_number) },
  }
}

export async function partUrls(
  { objects, signedUrls, clock, settings, public_url }: Kernel,
  upload: Signed,
  part_numbers: readonly number[],
): Promise<PartUrl[]> {
  const { parts } = objects.multipart
  const seconds = settings['uploads.part_url_seconds']
  const expires_seconds = clock.nowSeconds() + seconds
  const expires_at = rfc3339(expires_seconds * 1000)
  const origin = settings['uploads.public_origin'] ?? public_url
  return await Promise.all(
    part_numbers.map(async part_number => {
      const size = sizeOfPart(upload, part_number)
      const url =
        parts.kind === 'received'
          ? origin + signedUrls.sign(partGrant(upload, part_number), expires_seconds)
          : await parts.presign(placeOf(upload), part_number, size, seconds)
      return {
        part_number,
        url,
        method: 'PUT' as const,
        headers: {},
        offset: (part_number - 1) * upload.part_size,
        size,
        expires_at,
      }
    }),
  )
}
