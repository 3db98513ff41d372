/**
 * A request follows its payment, in the commit that moves the payment, with the payment's row
 * locked. What is authorized for an open request is captured; what is authorized for one that has
 * ended is released. Requests are locked after payments, and a link after the requests of its
 * buyers.
 */
import { newId, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { beginOperation } from '../operations/begin-operation.ts'
import type { IntentRow } from '../operations/rows.ts'
import { announceRequest, requestColumns, RequestRow } from './request-row.ts'

/** `released`: the payment is being cancelled already. */
export async function followPayment(
  tx: Tx,
  deps: Deps,
  intent: IntentRow,
  released: boolean,
): Promise<void> {
  if (intent.request_id === null) return
  switch (intent.state) {
    case 'requires_authorization':
      return await reopen(tx, intent, sql`intent_id`)
    case 'cancelled':
      return await reopen(tx, intent, sql`null`)
    case 'captured':
      return await pay(tx, intent)
    case 'authorized':
      // The script of the provider may authorize a payment again after a decline.
      if (released) return
      return await continueWith(tx, deps, intent, (await claim(tx, intent)) ? 'capture' : 'cancel')
    case 'requires_action':
      if (!released && (await isClosing(tx, intent))) {
        await continueWith(tx, deps, intent, 'cancel')
      }
  }
}

function change(tx: Tx, { tenant_id, request_id, id }: IntentRow, set: Sql, where: Sql) {
  return tx.maybe(
    RequestRow,
    sql`
      update payments.payment_requests t
      set ${set}, version = version + 1
      where t.tenant_id = ${tenant_id} and t.id = ${request_id} and t.intent_id = ${id}
        and ${where}
      returning ${requestColumns}`,
  )
}

/** The payer may try again, unless the request was to end. */
async function reopen(tx: Tx, intent: IntentRow, intent_id: Sql): Promise<void> {
  const request = await change(
    tx,
    intent,
    sql`state = coalesce(closing, 'open'), closing = null, intent_id = ${intent_id}`,
    sql`t.state in ('open', 'processing')`,
  )
  if (request) await announceEnd(tx, request)
}

async function pay(tx: Tx, intent: IntentRow): Promise<void> {
  const request = await change(
    tx,
    intent,
    sql`state = 'paid', closing = null, used = 1, paid = 1, due_at = null`,
    sql`t.state <> 'paid'`,
  )
  if (!request) return
  announceRequest(tx, request, 'paid', intent.amount_captured_minor)
  if (request.link_id === null) return
  const { tenant_id, link_id } = request
  const link = await tx.maybe(
    RequestRow,
    sql`
      update payments.payment_requests t
      set paid = paid + 1, version = version + 1,
        state = case when paid + 1 = uses and state = 'open' then 'paid' else state end
      where t.tenant_id = ${tenant_id} and t.id = ${link_id} and t.paid < t.used
      returning ${requestColumns}`,
  )
  if (link?.state === 'paid') announceRequest(tx, link, 'paid')
}

/** After an end without a payment, the use of the link is free again. */
export async function announceEnd(tx: Tx, request: RequestRow): Promise<void> {
  const { state, tenant_id, link_id } = request
  if (state !== 'expired' && state !== 'cancelled') return
  announceRequest(tx, request, state)
  await giveBack(tx, request)
  if (link_id === null) return
  await tx.run(sql`
    update payments.payment_requests set used = used - 1, version = version + 1
    where tenant_id = ${tenant_id} and id = ${link_id} and used > paid`)
}

/** A payment that was its merchant's before is so again. Its row is locked already. */
async function giveBack(tx: Tx, { tenant_id, id, intent_id }: RequestRow): Promise<void> {
  if (intent_id === null) return
  await tx.run(sql`
    update payments.payment_intents i
    set managed = false, request_id = null
    from payments.payment_requests t
    where t.tenant_id = ${tenant_id} and t.id = ${id} and t.taken_id = i.id
      and i.tenant_id = t.tenant_id and i.id = ${intent_id} and i.request_id = t.id
      and i.state = 'requires_authorization'`)
}

async function claim(tx: Tx, intent: IntentRow): Promise<boolean> {
  const open = sql`t.state in ('open', 'processing') and t.closing is null`
  return (await change(tx, intent, sql`state = 'processing'`, open)) !== undefined
}

async function isClosing(tx: Tx, { tenant_id, request_id, id }: IntentRow): Promise<boolean> {
  const found = await tx.run(sql`
    select from payments.payment_requests t
    where t.tenant_id = ${tenant_id} and t.id = ${request_id}
      and (t.closing is not null or t.intent_id is distinct from ${id}::uuid)`)
  return found > 0
}

/** The capture for a request was refused. So its payer is not left with the amount held. */
export async function releasePayment(tx: Tx, deps: Deps, intent: IntentRow): Promise<void> {
  if (intent.request_id !== null) await continueWith(tx, deps, intent, 'cancel')
}

/** Begun in this commit, and carried out by the resolver. */
async function continueWith(tx: Tx, deps: Deps, intent: IntentRow, type: 'capture' | 'cancel') {
  await beginOperation(tx, deps, {
    operation_id: newId(),
    tenant_id: intent.tenant_id,
    intent_id: intent.id,
    type,
    principal_id: null,
    key: null,
    amount_minor: intent.amount_authorized_minor,
    reason: type === 'cancel' ? 'requested' : null,
    by_resolver: true,
  })
}
