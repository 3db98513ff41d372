/**
 * Strong entity tags made from row versions, and the two preconditions on them. The `where` of the
 * UPDATE compares the version, so that two writers of one version cannot both succeed.
 */
import { hash } from 'node:crypto'
import { sql, type Sql } from '../../database/sql.ts'
import { problem } from '../../errors/problem.ts'

export function etag(version: number): string {
  return `"${version}"`
}

/**
 * The tag of a view that also changes without a new version. It contains the version and a digest of
 * those parts. If-Match compares only the version.
 */
export function viewTag(version: number, moving: unknown): string {
  return `"${version}-${hash('sha256', JSON.stringify(moving), 'base64url').slice(0, 8)}"`
}

/** Leaves of the tags of views only their versions. */
function bare(tags: string): string {
  return tags.replaceAll(/"(\d+)-[\w-]{8}"/g, '"$1"')
}

/** The versions that If-Match accepts. Null means any version. */
export function expectedVersions(header: string | string[] | undefined): number[] | null {
  if (header === undefined) return null
  const text = bare(String(header))
  if (text.trim() === '*') return null
  return text.split(',').flatMap(tag => {
    const match = /^\s*"([^"]*)"\s*$/.exec(tag)
    if (!match && !/^\s*W\/"[^"]*"\s*$/.test(tag)) {
      throw problem('invalid_header', {
        errors: [{ location: 'header', pointer: '/if-match', constraint: 'etag' }],
      })
    }
    // A weak tag never matches strongly; a tag that is not a version matches nothing.
    return [match && isVersion(match[1] ?? '') ? Number(match[1]) : -1]
  })
}

/** The digits as `etag` writes them, so that `"1e0"` and `"01"` are not the version 1. */
function isVersion(text: string): boolean {
  return /^(0|[1-9]\d{0,14})$/.test(text)
}

/** The condition of `expectedVersions` on the column `version`, for the `where` of an UPDATE. */
export function hasVersion(versions: readonly number[] | null): Sql {
  return sql`(${versions}::bigint[] is null or version = any(${versions}::bigint[]))`
}

/** Throws 412 if If-Match does not contain the version of the locked row. */
export function expectVersion(if_match: string | string[] | undefined, current: number): void {
  const versions = expectedVersions(if_match)
  if (versions && !versions.includes(current)) throw preconditionFailed(current)
}

export function preconditionFailed(current_version: number) {
  const detail = `The current version is ${current_version}. Read the resource again, apply your change, and send its ETag as If-Match.`
  return problem('precondition_failed', { detail, headers: { etag: etag(current_version) } })
}

export type Conditions = {
  readonly if_match: string | string[] | undefined
  readonly if_none_match: string | string[] | undefined
}

/**
 * Checks the preconditions of a PUT against the version of the current row (null means no row).
 * If-Match requires a row with that version. `If-None-Match: *` requires that there is no row.
 */
export function requireConditions({ if_match, if_none_match }: Conditions, before: number | null) {
  const versions = expectedVersions(if_match)
  const there = before !== null && (versions?.includes(before) ?? true)
  if (if_match !== undefined && !there) throw refusedAt(before)
  if (before !== null && isNotModified(bare(String(if_none_match ?? '')), etag(before)))
    throw refusedAt(before)
}

function refusedAt(before: number | null) {
  return before === null ? problem('precondition_failed') : preconditionFailed(before)
}

/** If-Match of a GET compares whole tags, strongly. Without the header everything matches. */
export function isMatched(header: string | string[] | undefined, current: string | undefined) {
  if (header === undefined || !current) return true
  const tags = String(header).split(',')
  return tags.some(tag => tag.trim() === '*' || tag.trim() === current)
}

/** If-None-Match compares weakly, and `*` matches every existing resource. */
export function isNotModified(header: string | undefined, current: string | undefined): boolean {
  if (!header || !current) return false
  if (header.trim() === '*') return true
  return header.split(',').some(tag => tag.trim().replace(/^W\//, '') === current)
}
