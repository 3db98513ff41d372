/** The face of notifications, made of its use cases. */
import { sql } from '../../kernel/database/sql.ts'
import { pushAddress } from './addresses.ts'
import type { Deps } from './deps.ts'
import { storeDestination } from './destinations/store-destination.ts'
import type { Face } from './face.ts'
import { notifyAll } from './intents/notify.ts'

export function openFace(deps: Deps): Face {
  return {
    notify: (tx, notice) => notifyAll(tx, deps, [notice]),
    notifyAll: (tx, notices) => notifyAll(tx, deps, notices),
    registerDevice: async (tx, { tenant_id, user_id, provider, address }) => {
      const id = provider === 'webpush' ? endpointOf(address) : address
      const { id: stored } = await storeDestination(tx, deps, {
        tenant_id,
        user_id,
        address: pushAddress(provider, address, id),
        provider,
        verified: true,
      })
      return stored
    },
    removeDestination: async (tx, { tenant_id, id }) => {
      await tx.run(sql`
        delete from notifications.destinations where tenant_id = ${tenant_id} and id = ${id}`)
    },
  }
}

function endpointOf(subscription: string): string {
  const { endpoint } = JSON.parse(subscription) as { endpoint: string }
  return endpoint
}
