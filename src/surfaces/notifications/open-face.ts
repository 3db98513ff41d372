/** The face of notifications, made of its use cases. */
import { sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { readPushHosts } from './destinations/push-hosts.ts'
import { readDevice } from './destinations/read-address.ts'
import { storeDestination } from './destinations/store-destination.ts'
import { parseEmail } from './addresses.ts'
import { forgetMails } from './erase-person.ts'
import type { Inside } from './face.ts'
import { notifyAll } from './intents/notify.ts'

export function openFace(deps: Deps): Inside {
  return {
    notify: (tx, notice) => notifyAll(tx, deps, [notice]),
    notifyAll: (tx, notices) => notifyAll(tx, deps, notices),
    plugMails: (kind, source) => void deps.mails.set(kind, source),
    forgetMails: (tx, tenant_id, kind, ids) => forgetMails(tx, deps, { tenant_id, kind, ids }),
    readEmail: parseEmail,
    registerDevice: async (tx, owner, device) => {
      const read = readDevice(device, await readPushHosts(deps))
      if (typeof read === 'string') return { refused: read }
      const { address, provider } = read
      return await storeDestination(tx, deps, { ...owner, address, provider, verified: true })
    },
    removeDestination: async (tx, { tenant_id, id }) => {
      await tx.run(sql`
        delete from notifications.destinations where tenant_id = ${tenant_id} and id = ${id}`)
    },
  }
}
