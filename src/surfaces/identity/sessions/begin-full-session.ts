/**
 * Ends a session that could only add a second factor, and begins a full one, in the transaction that
 * has proven the factor. A session never becomes wider: what began in it keeps its scope.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Session } from '../mfa/holder.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import type { Delivered, Delivery } from './deliver-tokens.ts'
import { issueSession, type Proven } from './issue-session.ts'
import { revokeSessions } from './revoke-sessions.ts'

const Began = Type.Object({
  tenant_id: Id,
  amr: Type.Array(Type.String()),
  connection_id: nullable(Id),
  device_name: nullable(Type.String()),
})

type How = {
  /** The method of the factor. */
  readonly amr: Proven['amr'][number]
  readonly delivery?: Delivery | undefined
  readonly device_name?: string | undefined
  readonly seen: Seen
}

export async function beginFullSession(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'tokens' | 'denied'>,
  { id: account_id, session_id }: Session,
  { amr, delivery, device_name, seen: request }: How,
): Promise<Delivered> {
  const began = await tx.maybe(
    Began,
    sql`
      select tenant_id, amr, connection_id, client_metadata ->> 'device_name' as device_name
      from identity.sessions
      where id = ${session_id} and account_id = ${account_id} and client_id is null
        and scope = array['enrolment'] and revoked_at is null and expires_at > kernel.now()
      for update`,
  )
  if (!began) throw problem('permission_denied')
  const { tenant_id, connection_id } = began
  await revokeSessions(tx, deps, { account_id, session_id }, 'logout', {
    actor: account_id,
    seen: request,
  })
  const delivered = await issueSession(tx, deps, {
    account: { id: account_id, tenant_id },
    aal: 'aal2',
    amr: [...began.amr, amr],
    connection_id,
    device_name: device_name ?? began.device_name ?? undefined,
    delivery,
    request,
  })
  if (!delivered) throw problem('permission_denied')
  return delivered
}
