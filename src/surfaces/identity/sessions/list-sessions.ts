/** Where an account is logged in: its sessions, newest first, as their owner recognizes them. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { ListScope } from '../../../kernel/http/cursor.ts'
import { Id, nullable, page, Time } from '../../../kernel/http/shapes.ts'
import type { Kernel } from '../settings.ts'
import { ClientMetadata } from '../schemas.ts'

const Session = Type.Object(
  {
    id: Id,
    account_id: Id,
    created_at: Time,
    last_seen_at: Time,
    expires_at: Time,
    revoked_at: nullable(Time),
    client_metadata: ClientMetadata,
    current: Type.Boolean(),
  },
  { title: 'Session' },
)
export const SessionPage = page(Session)

export async function listSessions(
  reader: Reader,
  { cursors }: Pick<Kernel, 'cursors'>,
  list: ListScope,
  whose: { tenant_id: string | null; account_id: string; current: string | null },
) {
  const { after, fetch } = cursors.start(list)
  const { tenant_id, account_id, current } = whose
  const rows = await reader.many(
    Session,
    sql`
      select id, account_id, created_at, last_seen_at, expires_at, revoked_at, client_metadata,
        coalesce(id = ${current}::uuid, false) as current
      from identity.sessions
      where account_id = ${account_id}
        and (${tenant_id}::uuid is null or tenant_id = ${tenant_id}::uuid)
        and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null}::uuid)
      order by id desc
      limit ${fetch}`,
  )
  return cursors.page(list, rows, row => [row.id])
}
