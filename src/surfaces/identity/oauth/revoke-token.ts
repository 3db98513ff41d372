/**
 * Ends the grant of a token for the application that has it (RFC 7009). The whole grant ends,
 * whichever of its tokens is sent. A token that is unknown or of another client changes nothing, and
 * gets the same reply.
 */
import { Type } from 'typebox'
import { Id, sql } from '#dodeca/kernel'
import type { Client } from '../clients/find-client.ts'
import type { Deps } from '../deps.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { findToken, sessionOfRefresh } from './find-token.ts'

const Owner = Type.Object({ account_id: Id })

export async function revokeToken(
  deps: Deps,
  { client_id }: Client,
  token: string,
  seen: Seen,
): Promise<void> {
  const session_id = sessionOfRefresh(deps, token) ?? (await findToken(deps, token))?.session_id
  if (session_id === undefined) return
  await deps.kernel.db.tx(async tx => {
    const owner = await tx.maybe(
      Owner,
      sql`
        -- any tenant: a genuine token names the session
        select account_id from identity.sessions
        where id = ${session_id} and client_id = ${client_id}`,
    )
    if (!owner) return
    const act = { actor: owner.account_id, seen }
    await revokeSessions(tx, deps, { ...owner, session_id, client_id }, 'client', act)
  })
}
