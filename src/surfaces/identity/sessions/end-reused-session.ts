/**
 * Handles a used refresh token that was sent again: ends the session, emits the event, and informs
 * the owner.
 */
import { Type } from 'typebox'
import { Id, sql, Version } from '#dodeca/kernel'
import { accountById } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { notifyOwner } from '../mails/notify-owner.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { revokeSessions } from './revoke-sessions.ts'

const Owner = Type.Object({ account_id: Id })
const Raised = Type.Object({ version: Version })

export async function endReusedSession(
  deps: Pick<Deps, 'kernel' | 'denied'>,
  session_id: string,
  seen: Seen,
): Promise<void> {
  await deps.kernel.db.tx(async tx => {
    const owner = await tx.maybe(
      Owner,
      sql`select account_id from identity.sessions where id = ${session_id}`,
    )
    const account = owner && (await accountById(tx, owner.account_id))
    if (!account) return
    const which = { account_id: account.id, session_id }
    if ((await revokeSessions(tx, deps, which, 'refresh_reuse', { actor: 'system', seen })) === 0)
      return
    const { version } = await tx.one(
      Raised,
      sql`update identity.sessions set version = version + 1 where id = ${session_id} returning version`,
    )
    tx.emit({
      type: 'refresh_token.reused',
      tenant_id: account.tenant_id,
      aggregate_type: 'session',
      aggregate_id: session_id,
      aggregate_version: version,
      data: { session_id, account_id: account.id },
    })
    const about = { tenant_id: account.tenant_id, account_id: account.id }
    await recordSecurityEvent(tx, {
      ...about,
      action: 'refresh_token.reused',
      actor: 'anonymous',
      seen,
    })
    await notifyOwner(tx, account, 'sessions_ended')
  })
}
