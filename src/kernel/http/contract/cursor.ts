/**
 * Opaque positions in a list. A cursor contains the sort values of the last row, is bound to one
 * list (path, tenant and filters), and is signed. So a changed cursor, or one from another list, is
 * refused. A cursor never expires.
 */
import { createHash } from 'node:crypto'
import type { Keyring } from '../../keys.ts'
import { limit_default } from './shapes.ts'
import { problem } from '../../errors/problem.ts'

export type CursorPart = string | number | null
/** A validated query. All query schemas have plain values only. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>> & {
  readonly cursor?: string
  readonly limit?: number
}

/** One list for one caller. A cursor of another list is `invalid_cursor` here. */
export type ListScope = { readonly path: string; readonly tenant_id: string; readonly query: Query }

export type Page<T> = {
  body: { data: T[]; next_cursor: string | null; has_more: boolean }
  headers: Record<string, string>
}

export type Cursors = {
  /**
   * Returns the position after which to read (null at the beginning), and how many rows to read
   * (limit + 1).
   */
  start(scope: ListScope): { after: CursorPart[] | null; limit: number; fetch: number }
  /** Makes the page from at most `fetch` rows. `place` returns the sort values of a row. */
  page<T>(scope: ListScope, rows: readonly T[], place: (row: T) => CursorPart[]): Page<T>
}

const version = 1
const scope_bytes = 8
const mac_bytes = 16
const use = 'kernel.cursors'

export function openCursors(keys: Pick<Keyring, 'mac' | 'macMatches'>): Cursors {
  const limitOf = (query: Query) => query.limit ?? limit_default
  return {
    start: scope => {
      const limit = limitOf(scope.query)
      const { cursor } = scope.query
      return { after: cursor ? decode(keys, scope, cursor) : null, limit, fetch: limit + 1 }
    },
    page: (scope, rows, place) => {
      const limit = limitOf(scope.query)
      const data = rows.slice(0, limit)
      const last = data.at(-1)
      const has_more = rows.length > limit && last !== undefined
      const next_cursor = has_more ? encode(keys, scope, place(last)) : null
      return { body: { data, next_cursor, has_more }, headers: linkTo(scope, next_cursor) }
    },
  }
}

function linkTo(scope: ListScope, next_cursor: string | null): Record<string, string> {
  if (!next_cursor) return {}
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(scope.query)) {
    if (name !== 'cursor' && value !== undefined) query.set(name, String(value))
  }
  query.set('cursor', next_cursor)
  return { link: `<${scope.path}?${query}>; rel="next"` }
}

function scopeHash({ path, tenant_id, query }: ListScope): Buffer {
  const filters = Object.entries(query)
    .filter(([name, value]) => name !== 'cursor' && name !== 'limit' && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([path, tenant_id, filters]))
    .digest()
    .subarray(0, scope_bytes)
}

function encode(keys: Pick<Keyring, 'mac'>, scope: ListScope, place: CursorPart[]): string {
  const head = Buffer.concat([
    Buffer.from([version]),
    scopeHash(scope),
    Buffer.from(JSON.stringify(place)),
  ])
  return Buffer.concat([head, keys.mac(use, head).subarray(0, mac_bytes)]).toString('base64url')
}

function decode(keys: Pick<Keyring, 'macMatches'>, scope: ListScope, cursor: string): CursorPart[] {
  const bytes = Buffer.from(cursor, 'base64url')
  const head = bytes.subarray(0, -mac_bytes)
  const genuine =
    bytes.length > 1 + scope_bytes + mac_bytes &&
    bytes[0] === version &&
    // Base64url can spell one value in several ways; only the canonical one is accepted.
    bytes.toString('base64url') === cursor &&
    keys.macMatches(use, head, bytes.subarray(-mac_bytes)) &&
    head.subarray(1, 1 + scope_bytes).equals(scopeHash(scope))
  if (!genuine) throw problem('invalid_cursor')
  return JSON.parse(head.subarray(1 + scope_bytes).toString()) as CursorPart[]
}
