/** The durable status of what waits for a mailed token. */
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Progress } from '../schemas.ts'

export function registrationProgress(reader: Reader, id: string): Promise<Progress | undefined> {
  return reader.maybe(
    Progress,
    sql`
      select id, case when state = 'pending' and expires_at <= kernel.now() then 'expired'
          when state = 'pending' then 'pending_verification' else state end as status,
        created_at, expires_at
      from identity.registrations where id = ${id}`,
  )
}

export function requestProgress(
  reader: Reader,
  kind: 'password_reset' | 'email_verification',
  id: string,
): Promise<Progress | undefined> {
  return reader.maybe(
    Progress,
    sql`
      select id, case when status = 'accepted' and expires_at <= kernel.now() then 'expired'
          else status end as status, created_at, expires_at
      from identity.requests where id = ${id} and kind = ${kind}`,
  )
}

export function emailChangeProgress(
  reader: Reader,
  account_id: string,
  id: string,
): Promise<Progress | undefined> {
  return reader.maybe(
    Progress,
    sql`
      select id, case when status = 'pending' and expires_at <= kernel.now() then 'expired'
          else status end as status, created_at, expires_at
      from identity.email_changes where id = ${id} and account_id = ${account_id}`,
  )
}
