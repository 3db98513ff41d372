/**
 * The origins of applications in a browser: their scripts call our API with a token, and without
 * cookies. They are read when a request names an origin, and kept for a minute.
 */
import { Type } from 'typebox'
import { boundedCache, DatabaseBusy, isUnavailable, sql, type Reader } from '#dodeca/kernel'
import type { ClientRow } from './client.ts'

const origins_max = 10_000
const origin_length_max = 300
const life_ms = 60_000
const Known = Type.Object({ it: Type.Boolean() })

export function originsOf({ type, redirect_uris }: Pick<ClientRow, 'type' | 'redirect_uris'>) {
  const origins = type === 'spa' ? redirect_uris.map(uri => new URL(uri).origin) : []
  return { origins: sql`${[...new Set(origins)]}::text[]` }
}

/** Whether an application in a browser has this origin. */
export function openClientOrigins({ db }: { readonly db: Pick<Reader, 'one'> }) {
  const kept = boundedCache<{ readonly it: boolean }>(origins_max, life_ms)
  return (origin: string): boolean | Promise<boolean> => {
    if (origin.length > origin_length_max) return false
    const known = kept.get(origin)
    if (known) return known.it
    const keep = (it: boolean) => {
      kept.set(origin, { it })
      return it
    }
    return read(db, origin).then(keep, unless)
  }
}

async function read(db: Pick<Reader, 'one'>, origin: string): Promise<boolean> {
  const { it } = await db.one(
    Known,
    sql`
      -- any tenant: an origin names none
      select exists (
        select from identity.clients t
        join identity.tenants n on n.id = t.tenant_id and n.state = 'active'
        where t.origins @> array[${origin}::text] and t.origins <> '{}'
          and t.deleted_at is null) as it`,
  )
  return it
}

/** The request itself then says that the database is not available. */
function unless(error: unknown): false {
  if (error instanceof DatabaseBusy || isUnavailable(error)) return false
  throw error
}
