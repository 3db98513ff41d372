/**
 * Calls payments for each open operation until its outcome is certain. A request first calls for
 * its own operation. The queue calls if the process of the request was killed, and for operations
 * that no request made.
 */
import { Type } from 'typebox'
import { again, done, dueQueue, Id, retry, type DueQueue } from '#dodeca/kernel'
import { operations_name, type Deps } from '../deps.ts'
import { applyAnswer } from './apply-answer.ts'
import { askPayments, type Answer } from './ask-payments.ts'
import { findOperation, isOpen } from './operations.ts'

const Row = Type.Object({ tenant_id: Id, id: Id })
/** Events of payments usually arrive first. The queue finds outcomes for which no event arrived. */
const look_seconds = 30

export function operationsQueue(deps: Deps): DueQueue {
  return dueQueue<typeof Row, Answer>({
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
      if (!operation || !isOpen(operation)) {
        return done({ kind: 'later', code: 'ended' })
      }
      const answer = await askPayments(deps, operation)
      await deps.kernel.fault('commerce.after_ask')
      return answer.kind === 'later' ? retry(answer.code, { counts: false }) : done(answer)
    },
    finish: async (tx, { id }, outcome) => {
      if (outcome.end !== 'done') return undefined
      await applyAnswer(tx, deps, id, outcome.result)
      const operation = await findOperation(tx, id)
      return operation && isOpen(operation) ? again(look_seconds) : undefined
    },
  })
}
