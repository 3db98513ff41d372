/**
 * A cache of the bytes and traces of recent events, so that an event with a thousand subscriptions
 * is read once. The size of the cache in bytes is limited. The least recently used entry is dropped
 * first.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Reader } from '#dodeca/kernel'
import type { Body } from '../fan-out/body.ts'
import { Bytes } from '../schemas.ts'

export type Wanted = { readonly event_id: string; readonly api_version: string }

export type Bodies = {
  put(event_id: string, body: Pick<Body, 'api_version' | 'bytes' | 'traceparent'>): void
  /**
   * Returns bodies from the cache, and reads and caches the others. The map has no entry for a body
   * that does not exist.
   */
  get(reader: Reader, wanted: readonly Wanted[]): Promise<Map<string, Kept>>
}

export type Kept = Pick<Body, 'bytes' | 'traceparent'>

const kept_bytes_max = 32 * 1024 * 1024
const Row = Type.Object({
  event_id: Id,
  api_version: Type.String(),
  bytes: Bytes,
  traceparent: nullable(Type.String()),
})

export const keyOfBody = ({ event_id, api_version }: Wanted): string => `${event_id} ${api_version}`

export function openBodies(): Bodies {
  // The least recently used entry is first, because a Map keeps the order of insertion.
  const kept = new Map<string, Kept>()
  let size = 0
  const take = (key: string): Kept | undefined => {
    const one = kept.get(key)
    if (!one) return undefined
    kept.delete(key)
    kept.set(key, one)
    return one
  }
  const keep = (key: string, { bytes, traceparent }: Kept): void => {
    if (kept.has(key)) return
    kept.set(key, { bytes, traceparent })
    size += bytes.length
    for (const [oldest, old] of kept) {
      if (size <= kept_bytes_max) break
      kept.delete(oldest)
      size -= old.bytes.length
    }
  }
  return {
    put: (event_id, body) => keep(keyOfBody({ event_id, api_version: body.api_version }), body),
    get: async (reader, wanted) => {
      const found = new Map<string, Kept>()
      const absent = new Map<string, Wanted>()
      for (const one of wanted) {
        const key = keyOfBody(one)
        const known = found.get(key) ?? take(key)
        if (known) found.set(key, known)
        else absent.set(key, one)
      }
      if (absent.size === 0) return found
      for (const row of await read(reader, [...absent.values()])) {
        keep(keyOfBody(row), row)
        found.set(keyOfBody(row), row)
      }
      return found
    },
  }
}

function read(reader: Reader, wanted: readonly Wanted[]) {
  return reader.many(
    Row,
    sql`
      -- any tenant: the bytes of deliveries that the sender holds
      select b.event_id, b.api_version, b.bytes, b.traceparent
      from unnest(${wanted.map(one => one.event_id)}::uuid[],
        ${wanted.map(one => one.api_version)}::text[]) as w (event_id, api_version)
      join webhooks.event_bodies b on b.event_id = w.event_id and b.api_version = w.api_version`,
  )
}
