/**
 * Requests that name only an address. The row exists whether or not the address has an account, and
 * changes only through the mailed token. So reading it reveals nothing.
 */
import { Type, type Static } from 'typebox'
import { newId, sql, Time, type Reader, type Tx } from '#dodeca/kernel'
import { Progress, type Accepted } from './schemas.ts'

export type AcceptedRequest = Static<typeof Accepted>

type Kind = 'password_reset' | 'email_verification' | 'login_code'

export async function insertRequest(
  tx: Tx,
  kind: Kind,
  tenant_id: string,
  ttl_seconds: number,
): Promise<AcceptedRequest> {
  const id = newId()
  const { expires_at } = await tx.one(
    Type.Object({ expires_at: Time }),
    sql`
      insert into identity.requests (tenant_id, id, kind, expires_at)
      values (${tenant_id}, ${id}, ${kind}, kernel.now() + make_interval(secs => ${ttl_seconds}))
      returning expires_at`,
  )
  return { id, status: 'accepted', expires_at }
}

export async function completeRequest(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update identity.requests set status = 'completed' where id = ${id} and status = 'accepted'`)
}

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
  kind: Kind,
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
