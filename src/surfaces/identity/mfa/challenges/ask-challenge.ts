/** Opens a challenge: for another factor of a waiting login, or for a session that steps up. */
import { Type } from 'typebox'
import { Id, sql, Time, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { peek } from '../../one-time.ts'
import { openChallenge, type Asked } from './challenges.ts'
import type { Holder } from '../holder.ts'
import { activeMethods } from '../methods/find-methods.ts'
import type { OpenedChallenge } from '../schemas.ts'

export async function askChallenge(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  holder: Holder,
  method_id: string,
): Promise<OpenedChallenge> {
  const reason = await reasonOf(tx, holder)
  const methods = await activeMethods(tx, reason.account_id)
  const method = methods.find(({ id }) => id === method_id)
  if (!method) throw problem('mfa_method_not_found')
  return await openChallenge(tx, kernel, { ...reason, method })
}

async function reasonOf(reader: Reader, holder: Holder): Promise<Omit<Asked, 'method'>> {
  if (holder.kind === 'login') {
    const login = await peek(reader, ['mfa_login'], holder.token)
    if (!login?.account_id) throw problem('mfa_challenge_invalid')
    const { tenant_id, account_id, expires_at } = login
    return {
      tenant_id,
      account_id,
      for: { purpose: 'login', login_hash: holder.hash, expires_at },
    }
  }
  const { id: account_id, session_id } = holder.principal
  const session = await reader.maybe(
    Type.Object({ tenant_id: Id, expires_at: Time }),
    sql`
      select tenant_id, expires_at from identity.sessions
      where id = ${session_id} and account_id = ${account_id} and revoked_at is null
        and expires_at > kernel.now()`,
  )
  if (!session) throw problem('mfa_challenge_invalid')
  return { tenant_id: session.tenant_id, account_id, for: { purpose: 'step_up', session_id } }
}
