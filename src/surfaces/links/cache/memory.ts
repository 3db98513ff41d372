/**
 * The link cache of this process. If an entry is dropped while it is being read, the link is read
 * again. A read that began before a change must neither be cached nor returned. Reads that arrive
 * together share one statement. So do reads that arrive while two statements are running.
 */
import type { LRUCache } from 'lru-cache'
import { boundedCache, gather } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { entryOf, type Entry } from './entry.ts'
import { readTargets, type Key } from './target.ts'

/** A statement costs as much as ten rows. */
const shared = { flights_max: 2, items_max: 500 }
/** If a key is dropped faster than it can be read, the last value is returned. */
const reads_max = 5

export class Memory {
  private readonly kernel: Kernel
  private readonly common: readonly string[]
  private readonly present: LRUCache<string, Entry>
  private readonly absent: LRUCache<string, Entry>
  private readonly reading = new Map<string, Promise<Entry>>()
  private readonly dropped = new Map<string, number>()
  private readonly read = gather<Key, Entry>(shared, keys => this.readLinks(keys))
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
      const entry = await this.read({ domain_id, code })
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

  private async readLinks(keys: readonly Key[]): Promise<Entry[]> {
    const read_ms = performance.now()
    this.reads += keys.length
    const found = await readTargets(this.kernel.db, keys)
    const targets = new Map(found.map(target => [`${target.domain_id}/${target.code}`, target]))
    return keys.map(key => {
      const target = targets.get(`${key.domain_id}/${key.code}`) ?? null
      return entryOf(key, target, read_ms, this.common)
    })
  }
}
