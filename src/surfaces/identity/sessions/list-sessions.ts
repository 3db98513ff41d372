/** Lists the sessions of an account, newest first, in a form that their owner recognizes. */
import { Type } from 'typebox'
import { Id, nullable, page, sql, Time, type List, type Reader } from '#dodeca/kernel'
import { ClientMetadata } from '../schemas.ts'

export const Session = Type.Object(
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

export function listSessions(
  reader: Reader,
  list: List,
  {
    tenant_id,
    account_id,
    current,
  }: { tenant_id: string | null; account_id: string; current: string | null },
) {
  return page(reader, {
    scope: list,
    row: Session,
    place: ['id'],
    fetch: (after, n) => sql`
      select id, account_id, created_at, last_seen_at, expires_at, revoked_at, client_metadata,
        coalesce(id = ${current}::uuid, false) as current
      from identity.sessions
      where account_id = ${account_id}
        and (${tenant_id}::uuid is null or tenant_id = ${tenant_id}::uuid)
        and (${after.id}::uuid is null or id < ${after.id}::uuid)
      order by id desc
      limit ${n}`,
  })
}
