/**
 * Refuses a change of address. The reader of the new mailbox can do this if they did not request
 * the change. The mailed token is enough, because the token alone can only end the change.
 */
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { consumeOfAccount } from '../one-time.ts'

export async function refuseEmailChange(
  { kernel }: Pick<Deps, 'kernel'>,
  token: string,
): Promise<void> {
  await kernel.db.tx(async tx => {
    const challenge = await consumeOfAccount(tx, ['email_change'], token)
    if (!challenge) throw problem('one_time_token_invalid')
    await tx.run(sql`
      update identity.email_changes set status = 'refused'
      where tenant_id = ${challenge.tenant_id} and id = ${challenge.ref} and status = 'pending'`)
  })
}
