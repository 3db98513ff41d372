/**
 * Short-lived URLs of a file or of a derivative. They always lead to this platform, and each use
 * checks the file's state. On S3 the reply is a redirect to a URL of the store that is valid for a
 * minute. So a deleted or quarantined file is unavailable immediately.
 */
import { rfc3339, type SignedGrant } from '#dodeca/kernel'
import type { DerivativeKind } from '../purposes.ts'
import type { Kernel } from '../settings.ts'

export type Variant = 'original' | DerivativeKind
export type Disposition = 'attachment' | 'inline'
export type FileUrl = { readonly url: string; readonly expires_at: string }

export type FileUrls = {
  sign(
    file_id: string,
    variant: Variant,
    disposition: Disposition,
    expires_in_seconds: number,
  ): FileUrl
}

export function downloadGrant(file_id: string, variant: string, disposition: string): SignedGrant {
  return { method: 'GET', path: `/_objects/d/${file_id}/${variant}`, limits: { disposition } }
}

export function openFileUrls({
  settings,
  clock,
  signedUrls,
  public_url,
}: Pick<Kernel, 'settings' | 'clock' | 'signedUrls' | 'public_url'>): FileUrls {
  const origin = settings['uploads.public_origin'] ?? public_url
  return {
    sign: (file_id, variant, disposition, expires_in_seconds) => {
      const expires_seconds = clock.nowSeconds() + expires_in_seconds
      const grant = downloadGrant(file_id, variant, disposition)
      const signed = signedUrls.sign(grant, expires_seconds)
      const url = `${origin}${signed}${disposition === 'inline' ? '&disposition=inline' : ''}`
      return { url, expires_at: rfc3339(expires_seconds * 1000) }
    },
  }
}
