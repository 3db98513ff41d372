/** Ends requests whose time is over. One whose payment is not certainly closed yet is looked at again. */
import { Type } from 'typebox'
import { again, done, dueQueue, Id, sql, type DueQueue } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { closeRequest } from './close-request.ts'

const Row = Type.Object({ tenant_id: Id, id: Id })
const again_after_seconds = 60

export function expiryQueue(deps: Deps): DueQueue {
  return dueQueue({
    name: 'payments.requests',
    table: 'payments.payment_requests',
    key: ['tenant_id', 'id'],
    row: Row,
    where: sql`t.state in ('open', 'processing')`,
    batch: 100,
    concurrency: 4,
    lease_seconds: 30,
    retry: { first: 1, factor: 4, cap: 3600 },
    run: async key => {
      // In a transaction of its own, because payments are locked before requests.
      const row = await deps.kernel.db.tx(tx => closeRequest(tx, deps, key, 'expired'))
      return row?.state === 'processing' ? again(again_after_seconds) : done()
    },
  })
}
