/**
 * A cache of at most so many entries, without those that were not used for longest. It grows with
 * its entries: with the option `max` of lru-cache, caches of 250,000 entries took 7 MB at the start.
 */
import { LRUCache } from 'lru-cache'

export function boundedCache<V extends {}>(entries: number, ttl_ms = 0): LRUCache<string, V> {
  return new LRUCache({ maxSize: entries, sizeCalculation: () => 1, ttl: ttl_ms })
}
