/** Limits the mails that anybody can send to an address, over all kinds of requests. */
import type { Bucket } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'

export function mailsTo({ settings }: Pick<Kernel, 'settings'>, email_normalized: string): Bucket {
  return {
    name: 'identity.recipient',
    of: email_normalized,
    many: settings['identity.mails_per_recipient_per_hour'],
    per_seconds: 3600,
  }
}
