/** How many invitations a tenant sends in an hour, and how many mails one address gets. */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { mailsTo } from '../mails-to.ts'

export async function limitInvitations(
  tx: Tx,
  kernel: Deps['kernel'],
  tenant_id: string,
  address: string,
): Promise<void> {
  const many = kernel.settings['identity.invitations_per_hour']
  await kernel.take(tx, [
    { name: 'identity.invitations', of: tenant_id, many, per_seconds: 3600 },
    ...mailsTo(kernel, tenant_id, address),
  ])
}
