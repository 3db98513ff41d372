/**
 * Entity tags of things that show counts and what the viewer is to them: their version, and a hash of what
 * changes without it. `If-None-Match` compares all of it, `If-Match` the version.
 */
import { createHash } from 'node:crypto'

export function tagOf(version: number, moving: object): string {
  const hash = createHash('sha256').update(JSON.stringify(moving)).digest('base64url')
  return `"${version}.${hash.slice(0, 16)}"`
}

/** The header with the versions only. */
export function versionTags(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  return String(header).replaceAll(/\.[\w-]+"/g, '"')
}
