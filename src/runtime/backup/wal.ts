/**
 * Positions in PostgreSQL's write-ahead log, and the collector that saves the segments of a running
 * backup. PostgreSQL may recycle a full segment at any checkpoint. So segments are copied while the
 * backup runs, and a recycled segment is never mistaken for the old one.
 */
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf, StartError } from '#dodeca/kernel'
import { writeCopy, type Copied } from './copy.ts'

/** Converts `0/15D3A28` to a number of bytes since the beginning of the log. */
export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/**
 * The file that holds this segment, as PostgreSQL names it.
 * @internal a test compares it with PostgreSQL's own names
 */
export function segmentFile(timeline: number, segment: bigint, segment_bytes: bigint): string {
  const in_file_id = 2n ** 32n / segment_bytes
  const parts = [BigInt(timeline), segment / in_file_id, segment % in_file_id]
  return parts.map(part => part.toString(16).toUpperCase().padStart(8, '0')).join('')
}

export type WalSource = {
  /** `from` is the server's `pg_wal`, and `to` is the folder that receives the segments. */
  readonly from: string
  readonly to: string
  readonly timeline: number
  readonly segment_bytes: bigint
  readonly start_lsn: bigint
  /** The position at which the server writes now. */
  current(): Promise<bigint>
}

export type WalCollector = {
  /**
   * Copies the remaining segments, up to the one that contains `stop_lsn`. Returns all files that
   * were copied.
   */
  finish(stop_lsn: bigint): Promise<Map<string, Copied>>
  abandon(): Promise<void>
}

const look_every_ms = 100

export function collectWal(source: WalSource): WalCollector {
  const copied = new Map<string, Copied>()
  const ended = new AbortController()
  let next = source.start_lsn / source.segment_bytes
  let failure: Error | undefined

  /** Segments before the current one are complete and no longer written to. */
  const takeUntil = async (segment: bigint) => {
    for (; next < segment; next++) {
      const file = segmentFile(source.timeline, next, source.segment_bytes)
      copied.set(file, await copySegment(source, file))
    }
  }
  const watch = async () => {
    while (!ended.signal.aborted) {
      await takeUntil((await source.current()) / source.segment_bytes)
      await pause(look_every_ms, undefined, { signal: ended.signal }).catch(() => {})
    }
  }
  const watching = watch().catch((error: unknown) => {
    failure = error instanceof Error ? error : new Error('the log cannot be read', { cause: error })
  })
  const abandon = async () => {
    ended.abort()
    await watching
  }
  return {
    abandon,
    finish: async stop_lsn => {
      await abandon()
      if (failure) throw failure
      await takeUntil((stop_lsn - 1n) / source.segment_bytes + 1n)
      return copied
    },
  }
}

async function copySegment({ from, to, segment_bytes }: WalSource, file: string): Promise<Copied> {
  const path = join(from, file)
  try {
    const segment = await open(path, 'r')
    try {
      const copied = await writeCopy(segment, join(to, file))
      // PostgreSQL renames a segment before it recycles it. So a file that still has this name
      // contains its own data.
      const [mine, named] = [await segment.stat(), await stat(path)]
      if (mine.ino === named.ino && copied.bytes === Number(segment_bytes)) return copied
    } finally {
      await segment.close()
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  throw new StartError(
    `PostgreSQL recycled the log segment ${file} before it could be copied, so the backup is not ` +
      'complete and was abandoned. Run it again while less data is written.',
  )
}
