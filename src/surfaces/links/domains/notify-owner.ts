/**
 * Informs the owner of a suspended host, once for each event and only while the host is suspended.
 * A secret is shown only when it is created, so the mail contains the name of the record but not
 * its value.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, sql, Time, type Consumer } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Inside as Notifications } from '../../notifications/face.ts'
import { proofs } from './domain-row.ts'

export type Owners = Pick<Notifications, 'notify'>

const Suspended = Type.Object({
  id: Id,
  owner_id: Id,
  hostname: Type.String(),
  missing_since: nullable(Time),
})

export function ownerMailConsumer(kernel: Pick<Kernel, 'public_url'>, owners: Owners): Consumer {
  return {
    name: 'links.owner_mail',
    events: ['domain.suspended'],
    run: async (tx, { id: event_id, tenant_id, aggregate_id }) => {
      const found = await tx.maybe(
        Suspended,
        sql`
          select id, owner_id, hostname, missing_since from links.domains
          where tenant_id = ${tenant_id} and id = ${aggregate_id} and state = 'suspended'`,
      )
      if (!found) return
      await owners.notify(tx, {
        tenant_id,
        key: `event:${event_id}`,
        user_id: found.owner_id,
        category: 'links.health',
        template: 'notice',
        data: wordsOf(kernel, found),
      })
    },
  }
}

function wordsOf(
  { public_url }: Pick<Kernel, 'public_url'>,
  { id, hostname, missing_since }: Static<typeof Suspended>,
): { subject: string; paragraphs: string[] } {
  const at = `${public_url}/v1/domains/${id}`
  const since = missing_since === null ? '' : ` since ${missing_since}`
  return {
    subject: `Your host ${hostname} was suspended`,
    paragraphs: [
      `The record that proves your host ${hostname} has been missing${since}, at several looks in a row. So the host was suspended, and its links lead nowhere for now.`,
      `The platform expects this TXT record, with the value that you were shown when you claimed the host:\n${proofs.recordName(hostname)}`,
      `When the record is back, the host is active again at the next look, or at once by:\nPOST ${at}/verify`,
      `If you have the value no more, have a new one made, and write that:\nPOST ${at}/verification-token`,
      `Until then another account that verifies the host gets it, without your links. If you do not need it any more, remove it:\nDELETE ${at}`,
    ],
  }
}
