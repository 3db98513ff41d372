/**
 * Applies a dispute. In a dispute the bank takes the money back, without any operation of ours. An
 * inquiry (`warning`) moves no money. The table says which changes are accepted, from the state on
 * the left.
 *
 * | dispute        | needs_response | under_review | won                     | lost                   | closed |
 * | -------------- | -------------- | ------------ | ----------------------- | ---------------------- | ------ |
 * | warning        | yes            | yes          | yes                     | yes                    | yes    |
 * | needs_response | -              | yes          | yes, money returned     | yes, the merchant pays | no     |
 * | under_review   | no             | -            | yes, money returned     | yes, the merchant pays | no     |
 * | won, lost, closed | no          | no           | -                       | -                      | -      |
 */
import { type Static, Type } from 'typebox'
import { Id, newId, nullable, oneOf, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { post, transfer, type Leg } from '../ledger/post-transaction.ts'
import { announce } from '../operations/announce.ts'
import { lockIntent, type IntentKey, type IntentRow } from '../operations/rows.ts'
import { accountIdOf } from '../provider/account-key.ts'
import type { DisputeSnapshot } from '../provider/port.ts'

export const dispute_states = [
  'warning',
  'needs_response',
  'under_review',
  'won',
  'lost',
  'closed',
] as const
export const DisputeRow = Type.Object({
  tenant_id: Id,
  id: Id,
  intent_id: Id,
  provider_dispute_id: Type.String(),
  amount_minor: Type.Integer(),
  fee_minor: Type.Integer(),
  currency: Type.String(),
  state: oneOf(...dispute_states),
  reason: Type.String(),
  money: oneOf('none', 'withdrawn', 'returned', 'lost'),
  respond_by: nullable(Type.String()),
  created_at: Type.String(),
  closed_at: nullable(Type.String()),
})
export type DisputeRow = Static<typeof DisputeRow>

export const disputeColumns = sql`
  d.tenant_id, d.id, d.intent_id, d.provider_dispute_id, d.amount_minor, d.fee_minor, d.currency,
  d.state, d.reason, d.money, d.respond_by, d.created_at, d.closed_at`

const order: Readonly<Record<DisputeRow['state'], number>> = {
  warning: 0,
  needs_response: 1,
  under_review: 2,
  won: 3,
  lost: 3,
  closed: 3,
}

export async function applyDispute(
  tx: Tx,
  deps: Deps,
  key: IntentKey,
  snapshot: DisputeSnapshot,
): Promise<void> {
  const intent = await lockIntent(tx, key)
  if (!intent) return
  const known = await tx.maybe(
    DisputeRow,
    sql`
      select ${disputeColumns} from payments.disputes d
      where d.tenant_id = ${key.tenant_id} and d.provider = ${deps.provider.name}
        and d.provider_dispute_id = ${snapshot.id} for update`,
  )
  const held = known ?? (await open(tx, deps, intent, snapshot))
  const { withdrawn, returned } = movementsOf(snapshot)
  let { money } = held
  if (money === 'none' && withdrawn) {
    await postDispute(tx, intent, held, 'dispute_withdrawn', withdrawn.id, [
      ...transfer('disputed_funds', 'provider_clearing', snapshot.amount_minor),
      ...transfer('merchant_balance', 'provider_clearing', withdrawn.fee_minor),
    ])
    money = 'withdrawn'
  }
  if (money === 'withdrawn' && snapshot.status === 'won' && returned) {
    const legs = transfer('provider_clearing', 'disputed_funds', returned.amount_minor)
    await postDispute(tx, intent, held, 'dispute_returned', returned.id, legs)
    money = 'returned'
  }
  if (money === 'withdrawn' && snapshot.status === 'lost') {
    const legs = transfer('merchant_balance', 'disputed_funds', snapshot.amount_minor)
    await postDispute(tx, intent, held, 'dispute_lost', null, legs)
    money = 'lost'
  }
  const state = order[snapshot.status] > order[held.state] ? snapshot.status : held.state
  await tx.run(sql`
    update payments.disputes
    set state = ${state}, money = ${money}, fee_minor = ${withdrawn?.fee_minor ?? held.fee_minor},
      version = version + 1,
      closed_at = case when ${order[state] === 3} then coalesce(closed_at, kernel.now()) end
    where tenant_id = ${key.tenant_id} and id = ${held.id}`)
  const closed = order[state] === 3 && (known === undefined || order[known.state] < 3)
  if (!known) await announceDispute(tx, intent, held, 'dispute.opened', held.state)
  if (closed) await announceDispute(tx, intent, held, 'dispute.closed', state)
}

function movementsOf({ booked }: DisputeSnapshot) {
  return {
    withdrawn: booked.find(one => one.amount_minor < 0),
    returned: booked.find(one => one.amount_minor > 0),
  }
}

async function open(tx: Tx, { provider }: Deps, intent: IntentRow, snapshot: DisputeSnapshot) {
  const { tenant_id } = intent
  const first =
    snapshot.status === 'warning' || snapshot.status === 'closed' ? 'warning' : 'needs_response'
  return await tx.one(
    DisputeRow,
    sql`
      insert into payments.disputes as d (
        tenant_id, id, intent_id, provider, provider_dispute_id, amount_minor, currency, state,
        reason, respond_by)
      values (
        ${tenant_id}, ${newId()}, ${intent.id}, ${provider.name}, ${snapshot.id}, ${snapshot.amount_minor},
        ${snapshot.currency}, ${first}, ${snapshot.reason}, to_timestamp(${snapshot.respond_by_s}::float8))
      returning ${disputeColumns}`,
  )
}

async function postDispute(
  tx: Tx,
  intent: IntentRow,
  dispute: DisputeRow,
  purpose: string,
  external_ref: string | null,
  legs: readonly Leg[],
): Promise<void> {
  await post(tx, {
    tenant_id: intent.tenant_id,
    payment_account_id: accountIdOf(intent.provider),
    operation_id: external_ref === null ? dispute.id : null,
    intent_id: intent.id,
    purpose,
    external_ref,
    currency: dispute.currency,
    description: `Dispute ${dispute.id} of payment ${intent.id}`,
    legs,
  })
}

const Versioned = Type.Object({ version: Type.Integer() })

async function announceDispute(
  tx: Tx,
  intent: IntentRow,
  dispute: DisputeRow,
  type: 'dispute.opened' | 'dispute.closed',
  state: string,
): Promise<void> {
  const { version } = await tx.one(
    Versioned,
    sql`
      update payments.payment_intents i
      set version = i.version + 1,
        -- a payment may have several disputes, such as an inquiry and what follows it
        disputed = exists (
          select from payments.disputes d
          where d.tenant_id = i.tenant_id and d.intent_id = i.id and d.closed_at is null)
      where i.tenant_id = ${intent.tenant_id} and i.id = ${intent.id}
      returning i.version`,
  )
  announce(tx, intent, {
    type,
    version,
    state,
    operation_id: null,
    resource_id: dispute.id,
    amount_minor: dispute.amount_minor,
    reason_code: dispute.reason,
  })
}
