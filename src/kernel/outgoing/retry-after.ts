/**
 * Reads the wait that an upstream requests. A date is compared with the upstream's own clock, never
 * with ours.
 */
import { parseTime } from '../clock.ts'
import type { ResponseHeaders } from './exchange.ts'

export function retryAfterSeconds(headers: ResponseHeaders): number | null {
  const value = headers['retry-after']
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const wait_ms = parseTime(value) - parseTime(headers.date ?? '')
  return Number.isFinite(wait_ms) ? Math.max(0, Math.ceil(wait_ms / 1000)) : null
}
