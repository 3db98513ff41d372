/**
 * Limits the mails that anybody can send to an address, over all kinds of requests. They are counted
 * by tenant, so that a stranger in one tenant does not use up the mails of another. The sum over all
 * tenants has a higher limit.
 */
import type { Bucket } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'

export function mailsTo(
  { settings }: Pick<Kernel, 'settings'>,
  tenant_id: string,
  email_normalized: string,
): Bucket[] {
  const per_seconds = 3600
  return [
    {
      name: 'identity.recipient',
      of: `${tenant_id} ${email_normalized}`,
      many: settings['identity.mails_per_recipient_per_hour'],
      per_seconds,
    },
    {
      name: 'identity.recipient_anywhere',
      of: email_normalized,
      many: settings['identity.mails_per_recipient_of_all_tenants_per_hour'],
      per_seconds,
    },
  ]
}
