/**
 * The patterns of the blocklist. Each pattern is compiled once, because an entry never changes.
 * This process matches the patterns, because it counts each step. PostgreSQL's engine has no time
 * limit for a pattern.
 */
import { Type } from 'typebox'
import { compilePattern, Id, inTurn, sql, TooMuchWork, Work } from '#dodeca/kernel'
import type { Pattern, Reader } from '#dodeca/kernel'

/** `unknown`: matching this URL takes too many steps. */
export type PatternVerdict = 'yes' | 'no' | 'unknown'

export type BlockedPatterns = {
  /** Matches a URL against the entries with these ids. */
  match(
    reader: Reader,
    ids: readonly string[],
    url: string,
  ): Promise<{ readonly blocked: boolean; readonly warned: boolean }>
}

const Row = Type.Object({ id: Id, value: Type.String(), action: Type.String() })
type Entry = { readonly action: string; readonly pattern: Pattern }

export function openBlockedPatterns(): BlockedPatterns {
  const known = new Map<string, Entry>()
  /** Returns the entries: another call, with an older list, may forget some of them meanwhile. */
  const learn = async (reader: Reader, ids: readonly string[]): Promise<Entry[]> => {
    const entries = new Map(known)
    const missing = ids.filter(id => !entries.has(id))
    if (missing.length === 0) return entriesOf(entries, ids)
    const rows = await reader.many(
      Row,
      sql`select id, value, action from links.blocklist where id = any(${missing}::uuid[])`,
    )
    for (const { id, value, action } of rows) {
      const entry = { action, pattern: compilePattern(value) }
      entries.set(id, entry)
      known.set(id, entry)
    }
    const current = new Set(ids)
    for (const id of known.keys()) if (!current.has(id)) known.delete(id)
    return entriesOf(entries, ids)
  }
  return {
    match: async (reader, ids, url) => {
      const entries = await learn(reader, ids)
      return await inTurn(() => {
        const work = new Work()
        const found = { blocked: false, warned: false }
        for (const { pattern, action } of entries) {
          const verdict = matchPattern(pattern, url, work)
          if (verdict === 'yes' && action === 'block') found.blocked = true
          // A moderator must check a URL that could not be matched.
          else if (verdict !== 'no') found.warned = true
        }
        return found
      })
    },
  }
}

function entriesOf(entries: ReadonlyMap<string, Entry>, ids: readonly string[]): Entry[] {
  return ids.flatMap(id => entries.get(id) ?? [])
}

export function matchPattern(pattern: Pattern, url: string, work = new Work()): PatternVerdict {
  try {
    return pattern.test(url, work) ? 'yes' : 'no'
  } catch (error) {
    if (error instanceof TooMuchWork) return 'unknown'
    throw error
  }
}
