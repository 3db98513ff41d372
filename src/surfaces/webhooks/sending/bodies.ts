/**
 * The bytes of recent events in memory, so that an event with a thousand subscriptions is read once. At
 * most so many bytes; what was not used for longest goes first.
 */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Body } from '../fan-out/body.ts'
import { Bytes } from '../schemas.ts'

export type Wanted = { readonly event_id: string; readonly api_version: string }

export type Bodies = {
  put(event_id: string, body: Pick<Body, 'api_version' | 'bytes'>): void
  /** From memory, or read and kept; what does not exist is not in the map. */
  get(reader: Reader, wanted: readonly Wanted[]): Promise<Map<string, Buffer>>
}

const kept_bytes_max = 32 * 1024 * 1024
const Row = Type.Object({ event_id: Id, api_version: Type.String(), bytes: Bytes })

export const keyOfBody = ({ event_id, api_version }: Wanted): string => `${event_id} ${api_version}`

export function openBodies(): Bodies {
  // Least recently used first: a Map keeps the order of insertion.
  const kept = new Map<string, Buffer>()
  let size = 0
  const take = (key: string): Buffer | undefined => {
    const bytes = kept.get(key)
    if (!bytes) return undefined
    kept.delete(key)
    kept.set(key, bytes)
    return bytes
  }
  const keep = (key: string, bytes: Buffer): void => {
    if (kept.has(key)) return
    kept.set(key, bytes)
    size += bytes.length
    for (const [oldest, old] of kept) {
      if (size <= kept_bytes_max) break
      kept.delete(oldest)
      size -= old.length
    }
  }
  return {
    put: (event_id, { api_version, bytes }) => keep(keyOfBody({ event_id, api_version }), bytes),
    get: async (reader, wanted) => {
      const found = new Map<string, Buffer>()
      const absent = new Map<string, Wanted>()
      for (const one of wanted) {
        const key = keyOfBody(one)
        const bytes = found.get(key) ?? take(key)
        if (bytes) found.set(key, bytes)
        else absent.set(key, one)
      }
      if (absent.size === 0) return found
      for (const row of await read(reader, [...absent.values()])) {
        keep(keyOfBody(row), row.bytes)
        found.set(keyOfBody(row), row.bytes)
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
      select b.event_id, b.api_version, b.bytes
      from unnest(${wanted.map(one => one.event_id)}::uuid[],
        ${wanted.map(one => one.api_version)}::text[]) as w (event_id, api_version)
      join webhooks.event_bodies b on b.event_id = w.event_id and b.api_version = w.api_version`,
  )
}
