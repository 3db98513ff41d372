/**
 * Records each of the provider's balance transactions and links it to the object that caused it.
 * Each transaction must have moved the clearing account by its net amount. Money of unknown origin
 * is posted to the suspense account, with an item.
 */
import { Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { post, transfer } from '../ledger/post-transaction.ts'
import { lookAtObject } from '../provider-events/look-at-object.ts'
import { accountIdOf } from '../provider/account-key.ts'
import { booksOf, type BalanceTransaction } from '../provider/port.ts'
import { recordSettlement } from '../settlements/record-settlements.ts'
import { movementOf } from './clearing.ts'
import { openItem } from './open-item.ts'
import type { PageResult, Run } from './page-result.ts'

const Recorded = Type.Object({
  balance_transaction_id: Type.String(),
  intent_id: nullable(Type.String()),
  tenant_id: Type.String(),
})
/** Younger transactions may not have reached us yet. */
const settled_after_seconds = 3600
const overlap_seconds = 600

export async function compareBalanceTransactions(
  deps: Deps,
  run: Run,
  signal: AbortSignal,
): Promise<PageResult> {
  const { kernel, provider } = deps
  const { data, has_more, next } = await booksOf(provider).balanceTransactions({
    from_s: Math.max(0, run.from_s - overlap_seconds),
    ...(run.page_after ? { after: run.page_after } : {}),
  })
  const recorded = await kernel.db.many(
    Recorded,
    sql`
      -- any tenant: the provider's ids are unique
      select balance_transaction_id, intent_id, tenant_id from payments.settlement_records
      where provider = ${provider.name}
        and balance_transaction_id = any(${data.map(one => one.id)}::text[])`,
  )
  const known = new Set(recorded.map(one => one.balance_transaction_id))
  const fresh = data.filter(one => !known.has(one.id))
  for (const { source } of fresh) {
    // Without these looks, money of a payment of ours would count as of unknown origin.
    signal.throwIfAborted()
    if (source) await lookAtObject(deps, source)
  }
  return {
    after: has_more ? (next ?? data.at(-1)?.id ?? null) : null,
    compared: data.length,
    steps: data.map(one => async tx => {
      const recorded_now = await recordSettlement(tx, deps, one)
      const opened = await explain(tx, deps, one, run)
      return { fixed: recorded_now ? 1 : 0, opened: opened ? 1 : 0 }
    }),
  }
}

/** Returns true if an item was opened. */
async function explain(
  tx: Tx,
  { provider }: Deps,
  one: BalanceTransaction,
  run: Run,
): Promise<boolean> {
  const { intent_id, tenant_id } = await tx.one(
    Recorded,
    sql`
      -- any tenant: the provider's ids are unique
      select balance_transaction_id, intent_id, tenant_id from payments.settlement_records
      where provider = ${provider.name} and balance_transaction_id = ${one.id}`,
  )
  const moved = await movementOf(tx, provider, { id: one.id, intent_id, kind: one.kind })
  if (moved === one.net_minor) return false
  const unknown = intent_id === null && moved === 0
  if (unknown) {
    const amount = Math.abs(one.net_minor)
    await post(tx, {
      tenant_id: provider.owner_id,
      payment_account_id: accountIdOf(provider.name),
      purpose: 'suspense',
      external_ref: one.id,
      currency: one.currency,
      description: `Money of unknown origin: ${one.kind} ${one.source ?? ''}`,
      legs:
        one.net_minor > 0
          ? transfer('provider_clearing', 'suspense', amount)
          : transfer('suspense', 'provider_clearing', amount),
    })
  } else if (one.created_s > run.started_s - settled_after_seconds) return false
  const without_fee = moved - one.net_minor === one.fee_minor
  const known = without_fee ? 'fee_mismatch' : 'amount_mismatch'
  return await openItem(tx, {
    tenant_id,
    provider: provider.name,
    discrepancy: unknown ? 'missing_local' : known,
    external_ref: one.id,
    local_ref: intent_id,
    amount_minor: one.net_minor,
    currency: one.currency,
    source: unknown ? one.source : null,
    details: { kind: one.kind, source: one.source, posted_minor: moved },
  })
}
