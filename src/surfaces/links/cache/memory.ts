/**
 * The link cache of this process. If an entry is dropped while it is being read, the link is read
 * again. A read that began before a change must neither be cached nor returned. Reads that arrive
 * together share one statement. So do reads that arrive while two statements are running.
 */
import type { LRUCache } from 'lru-cache'
import { boundedCache } from '../../../kernel/bounded-cache.ts'
import type { Kernel } from '../settings.ts'
import { entryOf, type Entry } from './entry.ts'
import { readTargets, type Key, type Target } from './target.ts'

const portion = 500
/**
 * While this many statements run, further reads wait and share the next statement. A statement
 * costs as much as ten rows.
 */
const statements_max = 2
/** If a key is dropped faster than it can be read, the last value is returned. */
const reads_max = 5

type Fill = Key & {
  readonly key: string
  readonly resolve: (entry: Entry) => void
  readonly reject: (error: unknown) => void
}

export class Memory {
  private readonly kernel: Kernel
  private readonly common: readonly string[]
  private readonly present: LRUCache<string, Entry>
  private readonly absent: LRUCache<string, Entry>
  private readonly reading = new Map<string, Promise<Entry>>()
  private readonly dropped = new Map<string, number>()
  private readonly wanted: Fill[] = []
  private statements = 0
  private drops = 0
  /** The number of rows that were read from the database, for metrics. */
  reads = 0

  constructor(kernel: Kernel, common: readonly string[]) {
    const { settings } = kernel
    this.kernel = kernel
    this.common = common
    this.present = boundedCache<Entry>(settings['links.cache_entries'])
    this.absent = boundedCache<Entry>(settings['links.absent_entries'])
  }

  /** Returns the cached entry, whatever its age. */
  get(key: string): Entry | undefined {
    return this.present.get(key) ?? this.absent.get(key)
  }

  drop(key: string): void {
    this.present.delete(key)
    this.absent.delete(key)
    // Only a read that is still running could restore the old row.
    if (this.reading.has(key)) this.dropped.set(key, ++this.drops)
  }

  clear(): void {
    this.present.clear()
    this.absent.clear()
    for (const key of this.reading.keys()) this.dropped.set(key, ++this.drops)
  }

  /** Reads the link and caches it. Simultaneous callers share the result. */
  fill(key: string, { domain_id, code }: Key): Promise<Entry> {
    const running = this.reading.get(key)
    if (running) return running
    const read = this.readUntilFresh(key, { domain_id, code }).finally(() => {
      this.reading.delete(key)
      this.dropped.delete(key)
    })
    this.reading.set(key, read)
    return read
  }

  private async readUntilFresh(key: string, { domain_id, code }: Key): Promise<Entry> {
    for (let reads = 1; ; reads++) {
      const drops = this.drops
      const entry = await new Promise<Entry>((resolve, reject) => {
        if (this.wanted.length === 0) setImmediate(this.readWanted)
        this.wanted.push({ key, domain_id, code, resolve, reject })
      })
      await this.kernel.fault('links.link_read')
      if ((this.dropped.get(key) ?? 0) > drops) {
        if (reads < reads_max) continue
        return entry
      }
      // A link that counts its uses is read for each request.
      if (!entry.target) this.absent.set(key, entry)
      else if (!entry.target.counted) this.present.set(key, entry)
      return entry
    }
  }

  private readonly readWanted = (): void => {
    while (this.wanted.length > 0 && this.statements < statements_max) {
      this.statements++
      void this.readPortion(this.wanted.splice(0, portion)).finally(() => {
        this.statements--
        this.readWanted()
      })
    }
  }

  private async readPortion(fills: readonly Fill[]): Promise<void> {
    const read_ms = performance.now()
    this.reads += fills.length
    let found: Target[]
    try {
      found = await readTargets(this.kernel.db, fills)
    } catch (error) {
      for (const { reject } of fills) reject(error)
      return
    }
    const targets = new Map(found.map(target => [`${target.domain_id}/${target.code}`, target]))
    for (const fill of fills) {
      const target = targets.get(`${fill.domain_id}/${fill.code}`) ?? null
      fill.resolve(entryOf(fill, target, read_ms, this.common))
    }
  }
}
