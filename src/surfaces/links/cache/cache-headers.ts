/**
 * Decides how long browsers and other caches may keep a redirect. The time is always limited. A
 * temporary redirect is cached only if the owner of the link allowed it. A permanent redirect is
 * cached for at most a day. No redirect is cached beyond the end of the link.
 */
import type { Target } from './target.ts'

const permanent_seconds = 86_400

type Cached = Pick<
  Target,
  'redirect_status' | 'cache_seconds' | 'edge_cache_seconds' | 'id' | 'domain_id'
>

/** The longest cache time in any of the cache headers, or zero if nothing may be cached. */
export function longestSeconds({
  redirect_status,
  cache_seconds,
  edge_cache_seconds,
}: Cached): number {
  const kept = isPermanent(redirect_status) ? permanent_seconds : cache_seconds
  return Math.max(kept, edge_cache_seconds)
}

/** `life_ms` is the remaining life of the link, or null. */
export function cacheHeaders(link: Cached, life_ms: number | null): Record<string, string> {
  const left = life_ms === null ? Infinity : Math.max(0, Math.floor(life_ms / 1000))
  const { redirect_status, cache_seconds, edge_cache_seconds } = link
  return {
    'cache-control': isPermanent(redirect_status)
      ? `public, max-age=${Math.min(permanent_seconds, left)}`
      : temporary(Math.min(cache_seconds, left)),
    ...(edge_cache_seconds > 0
      ? {
          'cdn-cache-control': `max-age=${Math.min(edge_cache_seconds, left)}`,
          'surrogate-key': `${linkKey(link.id)} ${domainKey(link.domain_id)}`,
        }
      : {}),
  }
}

/**
 * The surrogate keys of an edge cache: one key for everything that the edge stores about a link,
 * and one for a whole domain.
 */
export function linkKey(link_id: string): string {
  return `link-${link_id}`
}

export function domainKey(domain_id: string): string {
  return `domain-${domain_id}`
}

function temporary(seconds: number): string {
  return seconds > 0 ? `private, max-age=${seconds}` : 'private, no-store, max-age=0'
}

function isPermanent(redirect_status: number): boolean {
  return redirect_status === 301 || redirect_status === 308
}
