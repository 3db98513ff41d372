/**
 * Reads the wait that an upstream requests. A date is compared with the upstream's own clock, never
 * with ours.
 */
import { parseTime } from '../clock.ts'
import type { ResponseHeaders } from './exchange.ts'

/** Thirty years. Callers have their own limits; a larger number could not be added to a time. */
const seconds_max = 999_999_999

export function retryAfterSeconds(headers: ResponseHeaders): number | null {
  const value = headers['retry-after']
  if (value === undefined) return null
  if (/^\d+$/.test(value)) return Math.min(Number(value), seconds_max)
  const wait_ms = parseTime(value) - parseTime(headers.date ?? '')
  return Number.isFinite(wait_ms) ? Math.max(0, Math.ceil(wait_ms / 1000)) : null
}
