/**
 * Where clicks wait for the database: files that survive the process, though not a loss of power. A batch
 * is in them before anybody tries to store it, and leaves when it is stored. What a dead process left is
 * taken over by the next one on the same machine; taking a batch twice is no harm.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../../kernel/ids.ts'
import type { Batch } from './batch.ts'
import { framesIn, toFrame } from './frames.ts'
import { Segment, type Place } from './segment.ts'

export type Spool = {
  /** Null where the limit is reached: the batch is lost, and whoever sends it has to say so. */
  append(batch: Batch): Promise<Place | null>
  /** Bytes that wait. */
  bytes(): number
  stored(place: Place): void
  /** Files that nobody writes any more. */
  orphans(now_ms: number): Orphan[]
  close(): Promise<void>
}

export type Orphan = { batches(): Generator<Batch, void>; remove(): void }

export type SpoolOptions = {
  readonly folder: string
  readonly node_id: string
  readonly bytes_max: number
  readonly segment_bytes?: number
}

/** Tells this process from an earlier one that had the same number. */
const life = newId()

/** An owner elsewhere that has written nothing for so long is taken for dead. */
const silent_ms = 600_000

export function openSpool(options: SpoolOptions): Spool {
  const { folder, node_id, bytes_max, segment_bytes = 8 * 1024 * 1024 } = options
  const own = `clicks-${plain(hostname())}-${process.pid}-${life}`
  let current: Segment | undefined
  let made = 0
  let waiting_bytes = 0

  const segment = (): Segment => {
    if (current && current.bytes < segment_bytes) return current
    current?.seal()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    current = new Segment(join(folder, `${own}-${node_id}-${++made}.log`))
    return current
  }

  return {
    append: async batch => {
      const frame = toFrame(batch)
      if (waiting_bytes + frame.length > bytes_max) return null
      waiting_bytes += frame.length
      try {
        return await segment().append(frame)
      } catch (error) {
        waiting_bytes -= frame.length
        throw error
      }
    },
    bytes: () => waiting_bytes,
    stored: ({ segment: from, bytes }) => {
      waiting_bytes -= bytes
      from.done()
    },
    orphans: now_ms =>
      filesIn(folder)
        .filter(name => !name.startsWith(own) && isOrphan(folder, name, now_ms))
        .map(name => {
          const path = join(folder, name)
          return {
            batches: () => framesIn(readFileSync(path)),
            remove: () => rmSync(path, { force: true }),
          }
        }),
    close: async () => {
      await current?.leave()
      current = undefined
    },
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^clicks-.*\.log$/.test(name))
  } catch {
    return []
  }
}

function plain(host: string): string {
  return host.replaceAll(/[^A-Za-z0-9.]/g, '_')
}

function isOrphan(folder: string, name: string, now_ms: number): boolean {
  const [, host, pid] = /^clicks-([^-]+)-(\d+)-/.exec(name) ?? []
  if (host === plain(hostname())) return Number(pid) === process.pid || !isAlive(Number(pid))
  try {
    return now_ms - statSync(join(folder, name)).mtimeMs > silent_ms
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
