/** What the readers of archive formats share: the archive with its counts, and checks of entries. */
import { Refused, type InspectorLimits } from './inspector-protocol.ts'

export type Archive = {
  readonly limits: InspectorLimits
  /** Counted over all levels. */
  entries: number
  bytes: number
  /** Inspects a content of this archive. `depth` is the level of an archive that it may be. */
  readonly inside: (content: AsyncIterable<Buffer>, depth: number, from: Packed) => Promise<void>
}

/** How many packed bytes have led to this many unpacked ones, and what packed them. */
export type Packed = {
  readonly bytes: (unpacked: number) => number
  readonly by?: 'gzip'
}

export function countEntry(archive: Archive): void {
  archive.entries++
  if (archive.entries > archive.limits.archive_entries) throw new Refused('archive_bomb')
}

export function isUnsafePath(name: string): boolean {
  return name.split(/[/\\]/).includes('..') || /^([/\\]|[a-z]:)/i.test(name)
}
