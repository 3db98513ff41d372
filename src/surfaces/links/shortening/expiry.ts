/** How near and how far an expiry may be, by the platform's clock. */
import { parseTime } from '../../../kernel/clock.ts'
import type { Kernel } from '../../../kernel/surface.ts'
import { problem } from '../errors.ts'

const day_ms = 86_400_000

export function demandExpiry(
  { clock, settings }: Pick<Kernel, 'clock' | 'settings'>,
  expires_at: string | null | undefined,
  pointer: string,
): void {
  if (expires_at === null || expires_at === undefined) return
  const ahead_ms = parseTime(expires_at) - clock.nowMs()
  const nearest_ms = settings['links.expiry_min_seconds'] * 1000
  if (ahead_ms >= nearest_ms && ahead_ms <= settings['links.expiry_max_days'] * day_ms) return
  throw problem('expires_at_invalid', {
    errors: [{ location: 'body', pointer, constraint: 'range' }],
  })
}
