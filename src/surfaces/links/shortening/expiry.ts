/** The earliest and latest expiry of a link, by the platform's clock. */
import { parseTime } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'

const day_ms = 86_400_000

export function demandExpiry(
  { clock, settings }: Pick<Kernel, 'clock' | 'settings'>,
  expires_at: string | null | undefined,
  pointer: string,
): void {
  if (expires_at === null || expires_at === undefined) return
  const ahead_ms = parseTime(expires_at) - clock.nowMs()
  const nearest_seconds = settings['links.expiry_min_seconds']
  const farthest_days = settings['links.expiry_max_days']
  if (ahead_ms >= nearest_seconds * 1000 && ahead_ms <= farthest_days * day_ms) return
  const params = { nearest_seconds, farthest_days }
  throw problem('expires_at_invalid', {
    detail: `A link ends between ${nearest_seconds} seconds and ${farthest_days} days from now.`,
    errors: [{ location: 'body', pointer, constraint: 'range', params }],
  })
}
