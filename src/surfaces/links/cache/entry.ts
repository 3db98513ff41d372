/**
 * The cached state of one code, ready to be sent. `ready` has everything that a plain redirect
 * needs. If `ready` is null, each request needs a full check, because there is a warning, a limit
 * of uses, a query to pass on, or an end that is near.
 */
import { cacheHeaders, longestSeconds } from './cache-headers.ts'
import type { Key, Target } from './target.ts'

export type Ready = {
  readonly status: number
  /** Header names and values alternate, as node:http takes them. */
  readonly headers: readonly string[]
}

export type Entry = Key & {
  readonly target: Target | null
  readonly ready: Ready | null
  /** Monotonic times: the time when the entry was read, and the time when it must be read again. */
  readonly read_ms: number
  readonly until_ms: number
}

/**
 * Changes are published (lease.ts). A manual change in the database is not published, and this
 * limits how long it stays unnoticed.
 */
const entry_ms = 600_000
const absent_ms = 5000

/** `read_ms` is the monotonic time before the query, so that no entry lives too long. */
export function entryOf(
  key: Key,
  target: Target | null,
  read_ms: number,
  common: readonly string[],
): Entry {
  const { domain_id, code } = target ?? key
  if (!target)
    return { domain_id, code, target, ready: null, read_ms, until_ms: read_ms + absent_ms }
  const { life_ms } = target
  // Only the code that reads the row can distinguish an exhausted or expired link from the other
  // cases.
  const until_ms =
    read_ms + Math.min(entry_ms, life_ms !== null && life_ms > 0 ? life_ms : entry_ms)
  return { domain_id, code, target, ready: readyOf(target, common), read_ms, until_ms }
}

function readyOf(target: Target, common: readonly string[]): Ready | null {
  const { state, counted, query, life_ms, redirect_status } = target
  if (state !== 'active' || counted || query === 'append') return null
  if (life_ms !== null) {
    if (life_ms <= 0) return null
    // A header that is made now must still be correct when the entry has its maximum age.
    const longest_seconds = longestSeconds(target)
    if (longest_seconds > 0 && life_ms < longest_seconds * 1000 + entry_ms) return null
  }
  return {
    status: redirect_status,
    headers: [...common, ...redirectHeaders(target, target.destination_url, null)],
  }
}

/** The headers of one redirect. `life_ms` limits the times in the headers. */
export function redirectHeaders(
  target: Target,
  location: string,
  life_ms: number | null,
): string[] {
  return [
    'location',
    location,
    ...Object.entries(cacheHeaders(target, life_ms)).flat(),
    'referrer-policy',
    'no-referrer-when-downgrade',
    'x-robots-tag',
    'noindex',
    'content-length',
    '0',
  ]
}
