/** Which rows of webhooks belong to no tenant. */
import type { Tenancy } from '#dodeca/kernel'

export const tenancy: Tenancy = {
  'webhooks.fanouts': { drains: true },
  'webhooks.sender_shards': { cell: 'which process of the cell sends' },
  'webhooks.senders': { cell: 'the processes of the cell that send' },
}
