/**
 * Uploads that are not complete: the caller's own, or with the permission all of the tenant. The
 * stored parts are not in the list, because each upload would need its own request to the store.
 */
import type { Static } from 'typebox'
import { lacks } from '../../../kernel/access/permission-denied.ts'
import { allowsSome } from '../../../kernel/access/permissions.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql, type Sql } from '../../../kernel/database/sql.ts'
import type { Page } from '../../../kernel/http/cursor.ts'
import { page, type List } from '../../../kernel/http/page.ts'
import { OpenUpload } from '../schemas.ts'
import type { Caller } from './upload-row.ts'

export async function listOpenUploads(
  reader: Reader,
  { principal: { tenant_id, id }, grants }: Caller,
  scope: 'own' | 'tenant',
  list: List,
): Promise<Page<Static<typeof OpenUpload>>> {
  const any = 'uploads.uploads.read_any'
  if (scope === 'tenant' && !allowsSome(await grants(), any)) {
    throw lacks(any, `Seeing uploads of others needs ${any}. Leave \`scope\` out to see your own.`)
  }
  const owner_id = scope === 'own' ? id : null
  return await page(reader, {
    scope: list,
    row: OpenUpload,
    place: ['id'],
    fetch: (after, n) => openUploads({ tenant_id, owner_id, after: after.id }, n),
  })
}

type Asked = {
  readonly tenant_id: string
  /** Null: of all. */
  readonly owner_id: string | null
  readonly after: string | null
}

/** Sorted after the index of open uploads has found them: `uploads.open_per_principal` keeps them few. */
export function openUploads({ tenant_id, owner_id, after }: Asked, n: number): Sql {
  return sql`
    select u.id, u.owner_id, u.purpose, u.media_category, u.filename, u.claimed_type,
      u.expected_size, u.part_size, u.part_count, u.state, u.due_at is not null as verifying,
      u.error_code, u.expires_at, u.created_at
    from uploads.uploads u
    where u.tenant_id = ${tenant_id} and u.state = 'initiated'
      ${owner_id === null ? sql.empty : sql`and u.owner_id = ${owner_id}`}
      and (${after}::uuid is null or u.id < ${after}::uuid)
    order by u.id desc
    limit ${n}`
}
