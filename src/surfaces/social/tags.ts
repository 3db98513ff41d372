/**
 * Entity tags of objects with counts and a relationship to the viewer. The tag is the version and a
 * hash of the parts that change without the version. `If-None-Match` compares all of it, `If-Match`
 * only the version.
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
