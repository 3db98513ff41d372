/**
 * A session that began at the provider of an organization proves what the organization says. The person who
 * runs that provider could otherwise add a passkey of their own, or act for the person elsewhere. So
 * such a session changes no way in, joins and makes no organization, and exports and erases nothing.
 */
import { Type } from 'typebox'
import { sql, type Principal, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const detail =
  'This session began at the provider of an organization, so it works for this organization only. Log in in a way of your own to do this.'

export async function requireOwnSession(
  reader: Pick<Reader, 'one'>,
  { session_id }: Pick<Principal, 'session_id'>,
): Promise<void> {
  if (session_id === null) return
  const { bound } = await reader.one(
    Type.Object({ bound: Type.Boolean() }),
    sql`
      select exists (select from identity.sessions
        where id = ${session_id} and bound_tenant_id is not null) as bound`,
  )
  if (bound) throw problem('session_bound', { detail })
}
