/**
 * Sends challenges automatically. The first is sent right after a subscription was created or its
 * endpoint changed. If the endpoint does not reply, two more follow.
 */
import { Type } from 'typebox'
import { done, dueQueue, Id, retry, sql, type DueQueue } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { askEndpoint } from './verify.ts'

export const challenge_queue = 'webhooks.challenges'
const Owed = Type.Object({ tenant_id: Id, id: Id })

export function challengeQueue(deps: Deps): DueQueue {
  return dueQueue({
    name: challenge_queue,
    table: 'webhooks.subscriptions',
    key: ['tenant_id', 'id'],
    columns: {
      due_at: 'challenge_due_at',
      attempts: 'challenge_attempts',
      lease_token: 'challenge_lease_token',
      leased_until: 'challenge_leased_until',
      last_error_code: 'challenge_error_code',
    },
    row: Owed,
    where: sql`t.state = 'created'`,
    batch: 20,
    concurrency: 20,
    lease_seconds: 60,
    retry: [60, 600],
    run: async ({ id }, signal) => {
      const answered = await askEndpoint(deps.kernel.db, deps, id, signal)
      return answered === 'answered' || answered === 'superseded' ? done() : retry(answered)
    },
  })
}
