/**
 * The files in which clicks wait for the database. They survive a crash of the process, but not a
 * power failure. A batch is written to a file before it is sent to the database, and is removed
 * when it is stored. The next process on the same machine takes over the files of a dead process.
 * Storing a batch twice does no harm.
 */
/* oxlint-disable node/no-sync -- a new file is made once in eight megabytes, before its first frame */
import { mkdirSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '#dodeca/kernel'
import type { Batch } from './batch.ts'
import { framesIn, toFrame } from './frames.ts'
import { Segment, type Place } from './segment.ts'

export type Spool = {
  /** Creates the file, so that it exists before the first click. */
  prepare(): void
  /**
   * Null if the limit of the spool is reached. The batch is then lost, and the caller must record
   * the loss.
   */
  append(batch: Batch): Place | null
  /** The number of bytes that wait. */
  bytes(): number
  stored(place: Place): void
  /** Files that no running process writes to. */
  orphans(now_ms: number): Promise<Orphan[]>
  close(): void
}

/** A file that a dead process left behind. */
export type Orphan = {
  /** The id of the dead process, which its row in the database has too. */
  readonly node_id: string
  /** When it was last written to. */
  readonly written_ms: number
  /** Null stands for one or more that cannot be read. */
  batches(): Promise<Iterable<Batch | null>>
  remove(): Promise<void>
}

export type SpoolOptions = {
  readonly folder: string
  readonly node_id: string
  readonly bytes_max: number
  readonly segment_bytes?: number
}

/** Distinguishes this process from an earlier one with the same number. */
const life = newId()

/** A process on another machine that has written nothing for this long counts as dead. */
const silent_ms = 600_000

export function openSpool(options: SpoolOptions): Spool {
  const { folder, node_id, bytes_max, segment_bytes = 8 * 1024 * 1024 } = options
  const own = `clicks-${plain(hostname())}-${process.pid}-${life}`
  let current: Segment | undefined
  let made = 0
  let waiting_bytes = 0

  const currentSegment = (): Segment => {
    if (current && current.bytes < segment_bytes) return current
    current?.seal()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    current = new Segment(join(folder, `${own}-${node_id}-${++made}.log`))
    return current
  }

  return {
    prepare: () => {
      try {
        currentSegment()
      } catch {
        // The first click tries again and reports the error.
      }
    },
    append: batch => {
      const frame = toFrame(batch)
      if (waiting_bytes + frame.length > bytes_max) return null
      const place = currentSegment().append(frame)
      waiting_bytes += frame.length
      return place
    },
    bytes: () => waiting_bytes,
    stored: ({ segment, bytes }) => {
      waiting_bytes -= bytes
      segment.done()
    },
    orphans: async now_ms => {
      const found: Orphan[] = []
      for (const name of await filesIn(folder)) {
        const path = join(folder, name)
        if (name.startsWith(own) || !(await isOrphan(path, name, now_ms))) continue
        const file = await stat(path).catch(() => null)
        found.push({
          node_id: nodeOf(name),
          written_ms: file?.mtimeMs ?? now_ms,
          batches: async () => framesIn(await contentOf(path)),
          remove: () => rm(path, { force: true }),
        })
      }
      return found
    },
    close: () => {
      current?.leave()
      current = undefined
    },
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(name => /^clicks-.*\.log$/.test(name))
}

/** Another process may have stored the batches and removed the file since it was found. */
async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** The name of a file ends in the id of the node and a number. */
function nodeOf(name: string): string {
  return name.slice(0, name.lastIndexOf('-')).slice(-36)
}

function plain(host: string): string {
  return host.replaceAll(/[^A-Za-z0-9.]/g, '_')
}

async function isOrphan(path: string, name: string, now_ms: number): Promise<boolean> {
  const [, host, pid] = /^clicks-([^-]+)-(\d+)-/.exec(name) ?? []
  if (host === plain(hostname())) return Number(pid) === process.pid || !isAlive(Number(pid))
  const file = await stat(path).catch(() => null)
  return file !== null && now_ms - file.mtimeMs > silent_ms
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
