/** Returns when to retry a message that was certainly not sent. Null means never. */
import { jitter } from '#dodeca/kernel'
import type { Channel } from '../schemas.ts'

const minute = 60
const schedules: Readonly<Record<Channel, readonly number[]>> = {
  email: [minute, 5 * minute, 15 * minute, 60 * minute, 240 * minute, 720 * minute],
  sms: [10, minute, 5 * minute],
  push: [10, minute, 5 * minute, 30 * minute],
  in_app: [1, 10, minute, 5 * minute],
}
const spread = 0.2

export function retryAt(
  channel: Channel,
  /** The number of finished rounds over all providers. */
  rounds: number,
  now_ms: number,
  expires_at_ms: number,
  retry_after_seconds: number | null,
  random: () => number = jitter,
): number | null {
  const wait = schedules[channel][rounds]
  if (wait === undefined) return null
  const spread_wait = wait * (1 - spread + 2 * spread * random())
  const at_ms = now_ms + Math.max(spread_wait, retry_after_seconds ?? 0) * 1000
  return at_ms < expires_at_ms ? at_ms : null
}
