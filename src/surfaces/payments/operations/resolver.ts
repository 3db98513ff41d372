/**
 * Resolves every operation in doubt. The resolver reads the provider's object and applies its
 * state, sends again with the same key, or closes an authorization that is not wanted any more.
 * After three days without a result, an operator must decide.
 */
import { Type } from 'typebox'
import { again, done, dueQueue, Id, retry, sql, type DueQueue } from '#dodeca/kernel'
import { breaker_open, isAccepting, resolver_name, type Deps } from '../deps.ts'
import { openItem } from '../reconciliation/open-item.ts'
import { leaseSeconds } from './begin-operation.ts'
import { isParked, parkOperation } from './end-operation.ts'
import { perform, type Certain } from './perform.ts'
import { findIntent, findOperation } from './rows.ts'
import { deferIfNew, settleOperation } from './settle-operation.ts'

const Row = Type.Object({ tenant_id: Id, id: Id, provider: Type.String() })
const longest_wait_seconds = 3600

export function resolverQueue(deps: Deps): DueQueue {
  const { settings } = deps.kernel
  const first_seconds = settings['payments.resolve_first_seconds']
  const open_seconds = settings['payments.breaker_open_ms'] / 1000
  return dueQueue<typeof Row, Certain>({
    name: resolver_name,
    table: 'payments.payment_operations',
    key: ['tenant_id', 'id'],
    row: Row,
    load: sql`t.provider`,
    where: sql`t.state in ('created', 'pending_provider')`,
    batch: 100,
    concurrency: settings['payments.provider_concurrency'],
    lease_seconds: leaseSeconds(settings['payments.provider_timeout_ms']),
    retry: {
      first: first_seconds,
      factor: 2.5,
      cap: longest_wait_seconds,
    },
    age_max_seconds: settings['payments.resolve_max_hours'] * 3600,
    run: async ({ id, provider }) => {
      // When the provider works again, these are due immediately.
      if (!isAccepting(deps, provider)) {
        return retry(breaker_open, { counts: false, after_seconds: open_seconds })
      }
      const certain = await perform(deps, id, 'resumed')
      if (certain.kind === 'doubt') return retry(certain.code)
      if (certain.kind === 'not_sent') return retry(certain.code, { counts: false })
      return done(certain)
    },
    finish: async (tx, { id }, outcome) => {
      if (outcome.end === 'done') {
        await settleOperation(tx, deps, id, outcome.result)
        // Applying the state may have changed nothing, for example because the object was made or
        // changed in between.
        const operation = await findOperation(tx, id)
        const open = operation?.state === 'created' || operation?.state === 'pending_provider'
        if (!open || isParked(operation)) return undefined
        return again(operation.release_wanted === null ? longest_wait_seconds / 60 : first_seconds)
      }
      if (outcome.end === 'retry' && outcome.counts) {
        const operation = await findOperation(tx, id)
        if (operation?.state !== 'created' || operation.intent_id === null) return undefined
        const key = { tenant_id: operation.tenant_id, id: operation.intent_id }
        await deferIfNew(tx, operation, key, outcome.code, outcome.after_seconds ?? 0)
      }
      return undefined
    },
    dead: async (tx, { tenant_id, id }) => {
      const operation = await findOperation(tx, id)
      const intent = operation?.intent_id
        ? await findIntent(tx, { tenant_id, id: operation.intent_id })
        : undefined
      if (!operation || !intent) return
      await parkOperation(tx, operation, 'unresolved_operation')
      await openItem(tx, {
        tenant_id,
        provider: intent.provider,
        discrepancy: 'unresolved_operation',
        external_ref: intent.provider_handle,
        local_ref: id,
        amount_minor: operation.amount_minor,
        currency: intent.currency,
        details: { type: operation.type },
      })
    },
  })
}
