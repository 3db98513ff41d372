/**
 * Ends a request without a payment: its merchant cancels it, or its time is over. A payment that
 * waits for its payer is cancelled first, and one in doubt is closed by the resolver; the request
 * ends in the commit that makes this certain. What the provider captures meanwhile is paid.
 */
import { dueNow, newId, sql, type Sql, type Tx } from '#dodeca/kernel'
import { resolver_name, type Deps } from '../deps.ts'
import { beginCancel } from '../intents/begin-cancel.ts'
import { lockIntent, lockOpenOperations, type OperationRow } from '../operations/rows.ts'
import { announceEnd } from './follow-payment.ts'
import { findRequest, isOwned, requestColumns, RequestRow } from './request-row.ts'

type Key = { readonly tenant_id: string; readonly id: string }
export type Ending = 'expired' | 'cancelled'

/** Returns the request as it is then: ended, or still `processing`. */
export async function closeRequest(
  tx: Tx,
  deps: Deps,
  key: Key,
  to: Ending,
): Promise<RequestRow | undefined> {
  const found = await findRequest(tx, key)
  if (!found) return undefined
  // Locked before the request, as by everything that moves a payment.
  if (found.intent_id !== null)
    await closePayment(tx, deps, { ...key, id: found.intent_id }, key, to)
  else if (isOwned(found)) await markClosing(tx, key, to, sql`intent_id is null`)
  const ended = await tx.maybe(
    RequestRow,
    sql`
      update payments.payment_requests t
      set state = ${to}, due_at = null, version = version + 1
      where t.tenant_id = ${key.tenant_id} and t.id = ${key.id} and t.state = 'open'
      returning ${requestColumns}`,
  )
  if (ended) await announceEnd(tx, ended)
  return ended ?? (await findRequest(tx, key))
}

/** It ends with its payment, or with the order whose payment is not known yet. */
function markClosing(tx: Tx, { tenant_id, id }: Key, to: Ending, which: Sql): Promise<number> {
  return tx.run(sql`
    update payments.payment_requests
    set closing = coalesce(closing, ${to})
    where tenant_id = ${tenant_id} and id = ${id} and state = 'processing' and ${which}`)
}

async function closePayment(tx: Tx, deps: Deps, intent_key: Key, key: Key, to: Ending) {
  const open = await lockOpenOperations(tx, intent_key)
  const intent = await lockIntent(tx, intent_key)
  const marked = await markClosing(tx, key, to, sql`intent_id = ${intent_key.id}`)
  if (marked === 0 || !intent) return
  const pending = open.find(one => one.state !== 'requires_action')
  if (pending) return await release(tx, pending)
  if (intent.state !== 'requires_action' && intent.state !== 'authorized') return
  await beginCancel(tx, deps, {
    operation_id: newId(),
    tenant_id: key.tenant_id,
    intent_id: intent.id,
    reason: 'requested',
    principal_id: null,
    key: null,
    managed: true,
    by_resolver: true,
  })
}

/** Only an authorization is closed: a capture under way is paid. */
async function release(tx: Tx, { tenant_id, id, type }: OperationRow): Promise<void> {
  if (type !== 'authorize') return
  await tx.run(sql`
    update payments.payment_operations
    set release_wanted = 'requested', ${dueNow()}
    where tenant_id = ${tenant_id} and id = ${id} and state in ('created', 'pending_provider')`)
  tx.wake(resolver_name)
}
