/**
 * Carries out what payments is to be asked, and asks again until it is certain. The request that wants the
 * money asks first; this is what remains when its process is killed, and all that nobody waits for.
 */
import { Type } from 'typebox'
import { Id } from '../../../kernel/http/shapes.ts'
import { again, done, dueQueue, retry, type DueQueue } from '../../../kernel/work/due-queue.ts'
import { operations_name, type Deps } from '../deps.ts'
import { applyTold } from './apply-told.ts'
import { askPayments, type Told } from './ask-payments.ts'
import { findOperation } from './operation-row.ts'

const Row = Type.Object({ tenant_id: Id, id: Id })
/** Events of payments come first; this is for the one that was lost. */
const look_seconds = 30

export function operationsQueue(deps: Deps): DueQueue {
  return dueQueue<typeof Row, Told>({
    name: operations_name,
    table: 'commerce.payment_operations',
    key: ['tenant_id', 'id'],
    row: Row,
    batch: 50,
    concurrency: 16,
    lease_seconds: 60,
    retry: { first: 2, factor: 2.5, cap: 600 },
    run: async ({ id }) => {
      const operation = await findOperation(deps.kernel.db, id)
      if (!operation || operation.state === 'succeeded' || operation.state === 'failed') {
        return done({ kind: 'later', code: 'ended' })
      }
      const told = await askPayments(deps, operation)
      await deps.kernel.fault('commerce.after_ask')
      return told.kind === 'later' ? retry(told.code, { counts: false }) : done(told)
    },
    finish: async (tx, { id }, outcome) => {
      if (outcome.end !== 'done') return undefined
      const { state } = await applyTold(tx, deps, id, outcome.result)
      return state === 'requested' || state === 'pending' ? again(look_seconds) : undefined
    },
  })
}
