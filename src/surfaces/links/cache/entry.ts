/**
 * What is remembered of one code, ready to be sent. `ready` holds whatever a plain redirect needs; where it
 * is null, each request has to be looked at: a warning, a count, a query to pass on, an end that is near.
 */
import { cacheHeaders, longestSeconds } from './cache-headers.ts'
import type { Key, Target } from './target.ts'

export type Ready = {
  readonly status: number
  /** Names and values in turn, as node:http takes them. */
  readonly headers: readonly string[]
}

export type Entry = Key & {
  readonly target: Target | null
  readonly ready: Ready | null
  /** Monotonic: when it was read, and from when on it is read again. */
  readonly read_ms: number
  readonly until_ms: number
}

/** Changes are told (lease.ts); this bounds how long one that was made by hand in the database stays unseen. */
const entry_ms = 600_000
const absent_ms = 5000

/** `read_ms` is the monotonic time before the database was asked, so nothing lives too long. */
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
  // An exhausted or expired life is told apart from the others by whoever looks at the row.
  const until_ms =
    read_ms + Math.min(entry_ms, life_ms !== null && life_ms > 0 ? life_ms : entry_ms)
  return { domain_id, code, target, ready: readyOf(target, common), read_ms, until_ms }
}

function readyOf(target: Target, common: readonly string[]): Ready | null {
  const { state, counted, query, life_ms, redirect_status } = target
  if (state !== 'active' || counted || query === 'append') return null
  if (life_ms !== null) {
    if (life_ms <= 0) return null
    // A header made now must still be true when the entry is an entry's life older.
    const longest_seconds = longestSeconds(target)
    if (longest_seconds > 0 && life_ms < longest_seconds * 1000 + entry_ms) return null
  }
  return {
    status: redirect_status,
    headers: [...common, ...redirectHeaders(target, target.destination_url, null)],
  }
}

/** Of one redirect; `life_ms` bounds what its headers promise. */
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
