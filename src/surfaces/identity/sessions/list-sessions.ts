/** The sessions of an account, newest first, in a form that their owner recognizes. */
import { Type } from 'typebox'
import { Id, nullable, sql, Time, type Principal } from '#dodeca/kernel'
import { homeOf } from '../accounts/find-account.ts'
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
    /** The application to which the session was given. */
    client_id: nullable(Type.String()),
    /** Its name when the session was given. */
    client: nullable(Type.String()),
    current: Type.Boolean(),
  },
  { title: 'Session' },
)

export const session_list = {
  added: true,
  from: 'identity.sessions',
  row: Session,
  time: 'id',
  find: [],
} as const

export function sessionsOf(account_id: string, { session_id }: Principal) {
  return {
    is: sql`t.account_id = ${account_id}`,
    tenant: homeOf(account_id),
    columns: {
      current: sql`coalesce(t.id = ${session_id}::uuid, false)`,
      client: sql`case when t.client_id is not null then t.client_metadata->>'device_name' end`,
    },
  }
}
