/**
 * Entity tags of objects that have counts and a relationship to the viewer. A tag contains the
 * version, and a hash of the parts that change while the version stays the same. `If-None-Match`
 * compares the whole tag, `If-Match` only the version.
 */
import { createHash } from 'node:crypto'

export function tagOf(version: number, moving: object): string {
  const hash = createHash('sha256').update(JSON.stringify(moving)).digest('base64url')
  return `"${version}.${hash.slice(0, 16)}"`
}

/** Returns the header with the versions only. */
export function versionTags(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  return String(header).replaceAll(/\.[\w-]+"/g, '"')
}
